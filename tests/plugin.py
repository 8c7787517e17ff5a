"""What pytest needs to know about this course; loaded for notebooks and tests alike.

- Cells tagged `approx` may differ from their stored output in the last digits of a decimal.
- The network is refused, in this process and in every Python process that it starts.
- Settings in the environment that would change a result are taken out of it, and no check that
  runs here is noted as a learner's progress.
- Notebooks run before tests, so that a test can look at what they have just saved.
"""

import os
import re
from importlib import import_module
from pathlib import Path
from time import time

import pytest
from nbval.plugin import IPyNbCell

OFFLINE = Path(__file__).parent / "offline"
STARTED = pytest.StashKey[float]()

# The digits are taken as a whole (`++`), so that no part of a version such as 1.15.0 is a decimal.
DECIMAL = re.compile(
    r"(?<![\w.])[-+]?(?:\d++\.\d++(?:[eE][-+]?\d++)?|\d++[eE][-+]?\d++)(?!\.\d)", re.ASCII
)
LARGEST_TOLERANCE = 1e-3


def tolerance(stored: str) -> float:
    """Return how far a decimal may lie from the one printed as `stored`.

    One unit in its last printed place or one per cent, whichever is more, but never above 0.001.
    """
    mantissa, _, exponent = stored.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    last_place = 10.0 ** (int(exponent or 0) - places)
    return min(LARGEST_TOLERANCE, max(last_place, 0.01 * abs(float(stored))))


def close(stored: str, computed: str) -> bool:
    """Return whether two texts are equal but for decimals that lie within their tolerance."""
    if DECIMAL.sub("<decimal>", stored) != DECIMAL.sub("<decimal>", computed):
        return False
    pairs = zip(DECIMAL.findall(stored), DECIMAL.findall(computed), strict=True)
    # The last factor is for numbers such as 0.691 and 0.692, which binary floats miss by a hair.
    return all(abs(float(a) - float(b)) <= tolerance(a) * (1 + 1e-9) for a, b in pairs)


class Approximate(str):
    """A text that equals another one when the two are close. The stored text stands on the left."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and close(str(self), str(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


def compare_approximately(cell: IPyNbCell) -> None:
    """Make nbval compare this cell's texts with `close`. nbval calls `sanitize` on both sides."""
    exact = cell.sanitize

    def sanitize(value):
        value = exact(value)
        return Approximate(value) if isinstance(value, str) else value

    cell.sanitize = sanitize


def changes_results(name: str) -> bool:
    """Return whether the environment variable `name` could change what a chapter prints."""
    if name.endswith(("_HOME", "_CACHE")):  # where files are kept, not what is in them
        return False
    return name == "COURSE_SOURCE" or name.startswith(("HF_", "TRANSFORMERS_", "ACCELERATE_"))


def pytest_configure() -> None:
    """Refuse the network here and in what is started from here, and clean the environment."""
    for name in filter(changes_results, list(os.environ)):
        del os.environ[name]
    os.environ["COURSE_PROGRESS"] = os.devnull  # a test run is no learner's progress
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(OFFLINE), inherited)))
    import_module("tests.offline.sitecustomize")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Remember when the session began."""
    session.config.stash[STARTED] = time()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the notebooks first, and give cells tagged `approx` their tolerance."""
    items.sort(key=lambda item: not isinstance(item, IPyNbCell))
    for item in items:
        if isinstance(item, IPyNbCell) and "approx" in item.cell.metadata.get("tags", []):
            compare_approximately(item)
