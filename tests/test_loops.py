"""The loops differ from chapter 1's exactly in the lines marked `# NEW`, and stand in the page."""

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import chapters

MARK = "# NEW"
BASE = 1
HELPERS = chapters.ROOT / "helpers"


def complaints(base: list[str], lines: list[str]) -> list[str]:
    """Return what is wrong with the marks in `lines`, a loop grown from `base`; empty if nothing.

    Both are without indentation: a base line inside a new `if` has not changed.
    """
    found = []
    matcher = difflib.SequenceMatcher(a=base, b=lines, autojunk=False)
    for kind, base_from, base_to, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        gone, came = base[base_from:base_to], lines[start:end]
        surplus = gone[len(came) :]
        found += [f"dropped, and no {MARK} line stands in its place: {line}" for line in surplus]
        found += [f"differs without {MARK}: {line}" for line in came if not line.endswith(MARK)]
        bare = {line.removesuffix(MARK).rstrip(): line for line in came if line.endswith(MARK)}
        found += [f"unchanged, but marked: {bare[line]}" for line in gone if line in bare]
    return found


def python_files(folder: Path) -> list[Path]:
    """Return the modules of `helpers` below `folder`, without the script that trained the model."""
    return [path for path in sorted(folder.rglob("*.py")) if path.parent.name != "tiny_bert"]


def calls_of_methods(source: str) -> Iterator[str]:
    """Yield the name of each method that the source calls."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def test_each_loop_differs_from_the_base_exactly_in_its_marked_lines() -> None:
    """Every loop of chapters 2 to 8 is compared, and exactly its differences are marked."""
    base = chapters.loop_lines(chapters.chapter(BASE))
    compared = {}
    for path in chapters.chapters():
        lines = chapters.loop_lines(path)
        if lines is not None and chapters.number(path) != BASE:
            compared[chapters.number(path)] = complaints(base, lines)
    faults = [f"chapter {number}: {line}" for number in compared for line in compared[number]]
    assert not faults, "\n".join(faults)
    later = [path for path in chapters.taught() if chapters.number(path) != BASE]
    assert sorted(compared) == [chapters.number(path) for path in later]
    assert set(compared) >= {2, 3, 4, 5}, "too few loops were compared"


def test_each_later_loop_has_marked_lines() -> None:
    """A loop without a marked line would be chapter 1's again, and teach nothing."""
    for path in chapters.taught():
        marked = [line for line in chapters.loop_lines(path) if line.endswith(MARK)]
        assert bool(marked) == (chapters.number(path) != BASE), path.name


@pytest.mark.parametrize("path", chapters.taught(), ids=lambda path: path.stem)
def test_the_loop_is_one_function_of_10_to_30_lines_in_its_own_cell(path: Path) -> None:
    """The loop stands whole in the notebook, short enough to read at once."""
    cell = chapters.loop_cell(path)
    assert cell is not None, f"{path.name} defines no function {chapters.LOOP}"
    assert len(ast.parse(cell.source).body) == 1
    assert 10 <= len(chapters.loop_lines(path)) <= 30
    calls = set(calls_of_methods(cell.source))
    assert {"backward", "step", "zero_grad"} <= calls, "this is not a training loop"


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["a", "b", "c", "new  # NEW"], None),
        (["a", "if x:  # NEW", "b", "c"], None),
        (["a", "other  # NEW", "c"], None),
        (["a", "b", "c", "new"], "differs without # NEW: new"),
        (["a", "other", "c"], "differs without # NEW: other"),
        (["a", "b  # NEW", "c"], "unchanged, but marked: b  # NEW"),
        (["a", "new  # NEW"], "dropped, and no # NEW line stands in its place: c"),
        (["a", "c"], "dropped, and no # NEW line stands in its place: b"),
    ],
)
def test_the_comparison_of_loops_sees_each_kind_of_fault(
    lines: list[str], complaint: str | None
) -> None:
    """The comparison above accepts marked growth and names each way to get the marks wrong."""
    assert complaints(["a", "b", "c"], lines) == ([complaint] if complaint else [])


def test_helpers_hold_no_training_loop() -> None:
    """Nothing that a learner came to learn is hidden: no helper calls `backward` or `step`."""
    files = [path for path in python_files(HELPERS) if path.parent.name != "checks"]
    assert len(files) >= 8  # a check needs the right answer of an exercise to compare with
    for path in files:
        forbidden = {"backward", "step"} & set(calls_of_methods(path.read_text(encoding="utf-8")))
        assert not forbidden, f"{path.name} calls {forbidden}"


def test_helpers_stay_small() -> None:
    """The helpers without the checks of exercises are under 1,000 lines."""
    files = [path for path in python_files(HELPERS) if path.parent.name != "checks"]
    assert 0 < sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < 1000
