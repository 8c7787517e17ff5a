"""Which pretrained model and tokenizer the chapters load."""

from pathlib import Path

from helpers.source import HUB, course_source, require_hub

BUNDLED = Path(__file__).parent / "tiny_bert"


def model_name() -> str:
    """Return what to pass to a model's `from_pretrained`: the bundled folder, or a Hub name."""
    return _name(hub_name="prajjwal1/bert-tiny")


def tokenizer_name() -> str:
    """Return what to pass to `AutoTokenizer.from_pretrained`: the bundled folder, or a Hub name.

    bert-tiny's own repository holds no tokenizer; it uses the vocabulary of bert-base-uncased.
    """
    return _name(hub_name="google-bert/bert-base-uncased")


def _name(hub_name: str) -> str:
    if course_source() != HUB:
        return str(BUNDLED)
    require_hub()
    return hub_name
