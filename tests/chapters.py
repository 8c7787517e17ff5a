"""The chapters on disk, and the parts of them that tests look at."""

import ast
import re
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
LOOP = "train"


def chapters() -> list[Path]:
    """Return every notebook of the course, in the order of reading."""
    found = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert found, f"there is no notebook in {NOTEBOOKS}, and every test would pass on nothing"
    return found


def number(path: Path) -> int:
    """Return the chapter's number, the digits that its file name begins with."""
    return int(path.name[:2])


def chapter(wanted: int) -> Path:
    """Return the chapter with this number."""
    return next(path for path in chapters() if number(path) == wanted)


def taught() -> list[Path]:
    """Return the chapters that teach a loop of their own, from 1 to 8: neither start nor table."""
    return [path for path in chapters() if 1 <= number(path) <= 8]


@cache
def read(path: Path) -> NotebookNode:
    """Return the notebook. It is shared between tests: look, don't change."""
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> list[NotebookNode]:
    """Return the notebook's code cells in order."""
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def markdown(path: Path) -> list[str]:
    """Return the sources of the notebook's Markdown cells in order."""
    return [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]


def tags(cell: NotebookNode) -> list[str]:
    """Return the cell's tags."""
    return cell.metadata.get("tags", [])


def printed(cell: NotebookNode) -> str:
    """Return all text in the cell's outputs: streams, results, and errors."""
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts.append(output.get("data", {}).get("text/plain", ""))
        parts += [output.get("ename", ""), output.get("evalue", ""), *output.get("traceback", ())]
    return "\n".join(filter(None, parts))


def without_fences(source: str) -> str:
    """Return Markdown without its fenced blocks of code."""
    return re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", source, flags=re.MULTILINE | re.DOTALL)


def headings(path: Path) -> list[tuple[int, str]]:
    """Return (level, text) of each heading in a notebook or a Markdown file, in order."""
    sources = markdown(path) if path.suffix == ".ipynb" else [path.read_text(encoding="utf-8")]
    found = []
    for source in sources:
        for marks, text in re.findall(r"^(#{1,6}) (.+?)\s*$", without_fences(source), re.MULTILINE):
            found.append((len(marks), text))
    return found


def title(path: Path) -> str:
    """Return the text of the notebook's first heading."""
    return headings(path)[0][1]


def loop_cell(path: Path) -> NotebookNode | None:
    """Return the cell that defines the chapter's loop, or None where a chapter has none."""
    cells = [cell for cell in code_cells(path) if _defines_loop(cell.source)]
    assert len(cells) <= 1, f"{path.name} defines {LOOP} in {len(cells)} cells"
    return cells[0] if cells else None


def loop_lines(path: Path) -> list[str] | None:
    """Return the lines of the chapter's loop without indentation and blank lines, or None."""
    cell = loop_cell(path)
    if cell is None:
        return None
    (function,) = (node for node in ast.parse(cell.source).body if _is_loop(node))
    # Whole lines, since the comment that marks a line stands outside the function's syntax.
    lines = cell.source.splitlines()[function.lineno - 1 : function.end_lineno]
    return [line.strip() for line in lines if line.strip()]


def _defines_loop(source: str) -> bool:
    # A cell with a magic in it is no Python; none of them holds a loop.
    return f"def {LOOP}(" in source and any(map(_is_loop, ast.parse(source).body))


def _is_loop(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == LOOP
