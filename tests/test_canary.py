"""The comparison of stored outputs works: what was altered fails, and fails for that reason."""

import copy
import re
from collections.abc import Callable

import nbformat
import pytest
from nbformat import NotebookNode

from tests import chapters
from tests.nested import run_pytest
from tests.plugin import DECIMAL, close

INTEGER = re.compile(r"(?<![\w.,])\d+(?![\w.,])")
WORD = re.compile(r"[a-z]{3,}")
MISMATCH = "mismatch 'stdout'"
EXACT, APPROX, UNTAGGED = "exact", "approx", "approx without its tag"


def another_integer(text: str) -> str:
    """Return the text with its last integer one higher."""
    last = list(INTEGER.finditer(text))[-1]
    return text[: last.start()] + str(int(last.group()) + 1) + text[last.end() :]


def another_word(text: str) -> str:
    """Return the text with its first word spelt backwards."""
    return WORD.sub(lambda word: word.group()[::-1], text, count=1)


def far_decimal(text: str) -> str:
    """Return the text with its first decimal moved by more than any tolerance."""
    return DECIMAL.sub(lambda decimal: f"{float(decimal.group()) + 0.005:.3f}", text, count=1)


def near_decimal(text: str) -> str:
    """Return the text with its first decimal moved by less than the tolerance."""
    return DECIMAL.sub(lambda decimal: decimal.group() + "4", text, count=1)


def nothing(text: str) -> str:
    """Return no text at all."""
    return ""


def the_same(text: str) -> str:
    """Return the text."""
    return text


# What is done to which cell's stored output, and the words of the report; "" where it must pass.
ALTERATIONS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "unaltered": (EXACT, the_same, ""),
    "an integer": (EXACT, another_integer, MISMATCH),
    "a word": (EXACT, another_word, MISMATCH),
    "an output removed": (EXACT, nothing, "Unexpected output fields from running code: {'stdout'}"),
    "approx, unaltered": (APPROX, the_same, ""),
    "approx, a decimal within tolerance": (APPROX, near_decimal, ""),
    "approx, a decimal beyond tolerance": (APPROX, far_decimal, MISMATCH),
    "approx, an integer": (APPROX, another_integer, MISMATCH),
    "approx, a word": (APPROX, another_word, MISMATCH),
    "approx, an output removed": (APPROX, nothing, "Unexpected output fields"),
    "not approx, a decimal within tolerance": (UNTAGGED, near_decimal, MISMATCH),
}


def altered(cell: NotebookNode, alteration: str) -> NotebookNode:
    """Return a copy of `cell` whose one stored output is altered."""
    kind, alter, _ = ALTERATIONS[alteration]
    twin = copy.deepcopy(cell)
    twin.id = "-".join(WORD.findall(alteration))
    if kind == UNTAGGED:
        twin.metadata.tags.remove(APPROX)
    (output,) = twin.outputs
    text = alter(output.text)
    assert (text == output.text) == (alter is the_same), f"{alteration}: nothing to alter"
    output.text = text
    if not text:
        twin.outputs = []
    return twin


def prints(cell: NotebookNode, pattern: re.Pattern, *, tags: list[str]) -> bool:
    """Return whether the cell has exactly these tags, and prints what `pattern` matches."""
    streams = [output for output in cell.outputs if output.output_type == "stream"]
    fits = chapters.tags(cell) == tags and len(cell.outputs) == len(streams) == 1
    return fits and bool(pattern.search(streams[0].text))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what pytest says about each altered cell, and about the chapter before them.

    One kernel serves all of it. The copy is chapter 1 up to the first cell that prints decimals
    and is tagged `approx`. Behind it stand, once for each alteration, a twin of that cell or of
    the first cell that prints an integer and is compared exactly.
    """
    notebook = copy.deepcopy(chapters.read(chapters.chapter(1)))
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    exact = next(cell for cell in code if prints(cell, INTEGER, tags=[]))
    approx = next(cell for cell in code if prints(cell, DECIMAL, tags=[APPROX]))
    prefix = code[: code.index(approx) + 1]
    source = {EXACT: exact, APPROX: approx, UNTAGGED: approx}
    twins = [altered(source[kind], name) for name, (kind, *_) in ALTERATIONS.items()]
    notebook.cells = prefix + twins
    path = tmp_path_factory.mktemp("canary") / "copy.ipynb"
    nbformat.write(notebook, path)

    found = run_pytest(path)
    assert len(found) == len(prefix) + len(ALTERATIONS)
    twins_found = dict(zip(ALTERATIONS, found[len(prefix) :], strict=True))
    return twins_found | {"the chapter": "".join(found[: len(prefix)])}


def test_an_unaltered_copy_passes(reports: dict[str, str]) -> None:
    """The copy's own cells, as stored, pass in front of the altered ones."""
    assert reports["the chapter"] == ""


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_what_was_altered_fails_for_that_reason(reports: dict[str, str], alteration: str) -> None:
    """A cell's test fails with the right words if, and only if, its stored output is wrong."""
    expected = ALTERATIONS[alteration][2]
    if expected:
        assert "Cell outputs differ" in reports[alteration]
    assert expected in reports[alteration]
    assert bool(expected) == bool(reports[alteration])


@pytest.mark.parametrize(
    ("stored", "computed", "equal"),
    [
        ("loss 0.691", "loss 0.692", True),  # one unit in the last place
        ("loss 0.691", "loss 0.693", False),
        ("loss 0.6910", "loss 0.6919", True),  # under 0.001
        ("loss 0.6910", "loss 0.6921", False),
        ("loss 0.0500", "loss 0.0505", True),  # one per cent
        ("loss 0.0500", "loss 0.0507", False),
        ("accuracy 0.52", "accuracy 0.53", False),  # one unit in the last place is above 0.001
        ("norm 250.0", "norm 250.1", False),  # so is one per cent
        ("rate 5.00e-05", "rate 5.03e-05", True),
        ("rate 5.00e-05", "rate 5.10e-05", False),
        ("rate 5.00e-05", "rate 5.00e-04", False),
        ("below 1e-6", "below 1e-5", False),
        ("change -0.004", "change 0.004", False),
        ("change -0.000", "change 0.000", True),
        ("13 updates", "14 updates", False),
        ("13 updates, loss 0.691", "14 updates, loss 0.691", False),
        ("loss 0.691", "loss  0.691", False),
        ("losses 0.691", "losses 0.691 0.691", False),
        ("loss 0.691", "loss nan", False),
        ("torch 2.13.0", "torch 2.13.1", False),
        ("torch 2.13.0", "torch 2.12.0", False),
        ("build 1.00011.5", "build 1.00021.5", False),  # no part of it is a decimal
        ("(0.691)", "(0.6912)", True),
        ("loss 0.691.", "loss 0.692.", True),  # the end of a sentence
    ],
)
def test_the_tolerance_of_approx_cells(stored: str, computed: str, equal: bool) -> None:
    """Decimals may move by one unit or one per cent, never by above 0.001; nothing else may."""
    assert close(stored, computed) is equal
