"""Every notebook is stored as it was run, says only what it shows, and keeps the house order.

That stored outputs are reproduced is nbval's part: `notebooks/` is collected beside this folder.
"""

import ast
import base64
import importlib.metadata
import io
import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest
from nbformat import NotebookNode

from tests import chapters
from tests.execute import METADATA

APPROX, IGNORED, RAISES = "approx", "nbval-ignore-output", "raises-exception"
LONGEST_CELL = 35  # lines, the loop's cell aside
LARGEST_IGNORED_SHARE = 0.2

MACHINE_PATH = re.compile(
    r"(?<![\w.])/(?:root|home|tmp|work|opt|Users|var)/|site-packages|[A-Z]:\\"
)
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
REGISTRY = re.compile(r"pypi\.|pythonhosted|index-url|artifactory|nexus|conda\.anaconda", re.I)
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?!\w|\.\d)")
SECTION = re.compile(r"\b[Ss]ections? (\d)\.(\d+)")

each_notebook = pytest.mark.parametrize("path", chapters.chapters(), ids=lambda path: path.stem)
each_chapter = pytest.mark.parametrize("path", chapters.taught(), ids=lambda path: path.stem)


def where(path: Path, cell: NotebookNode) -> str:
    """Return how a report names a cell."""
    return f"{path.name}, cell {cell.id!r}"


def pictures(cell: NotebookNode) -> list[bytes]:
    """Return the PNG files in the cell's outputs."""
    data = [output.get("data", {}).get("image/png") for output in cell.outputs]
    return [base64.b64decode(picture) for picture in data if picture]


def prints(block: list[ast.stmt]) -> bool:
    """Return whether statements print whatever happens, in a loop or a `with` included."""
    for node in block:
        if isinstance(node, ast.For | ast.With) and prints(node.body):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if getattr(called, "id", "") == "print" or getattr(called, "attr", "") == "describe":
                return True
    return False


def decimals_in_prose(source: str) -> list[str]:
    """Return the decimals in Markdown that claim a result.

    Headings, code blocks and link targets claim none; a section's number and a library's version
    are checked elsewhere or not results.
    """
    prose = chapters.without_fences(source)
    prose = re.sub(r"^#{1,6} .*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    prose = SECTION.sub("", prose)
    for name, version in pinned_versions().items():
        shorter = version.rpartition(".")[0]
        prose = re.sub(
            rf"\b{name} (?:{re.escape(version)}|{re.escape(shorter)})(?![.\d]*\d)", "", prose
        )
    return DECIMAL.findall(prose)


def pinned_versions() -> dict[str, str]:
    """Return the version of each package named in requirements.txt."""
    lines = (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


@each_notebook
def test_the_file_is_valid_and_canonical(path: Path) -> None:
    """nbformat 4.5, unique ids, and byte by byte what nbformat writes."""
    text = path.read_text(encoding="utf-8")
    raw = json.loads(text)
    assert (raw["nbformat"], raw["nbformat_minor"]) == (4, 5)
    nbformat.validate(nbformat.from_dict(raw))
    ids = [cell["id"] for cell in raw["cells"]]
    assert len(set(ids)) == len(ids)
    assert text == nbformat.writes(nbformat.from_dict(raw)) + "\n"


@each_notebook
def test_the_metadata_is_minimal(path: Path) -> None:
    """Exactly what `tests.execute` stores, so that running again changes nothing else."""
    assert chapters.read(path).metadata == METADATA
    for cell in chapters.read(path).cells:
        assert cell.metadata == ({"tags": chapters.tags(cell)} if chapters.tags(cell) else {})
        for output in cell.get("outputs", []):
            assert output.get("metadata", {}) == {}, where(path, cell)


@each_notebook
def test_cells_were_run_once_from_top_to_bottom(path: Path) -> None:
    """Execution counts are 1, 2, 3: no cell was skipped, run twice, or stripped."""
    counts = [cell.execution_count for cell in chapters.code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))
    assert counts, f"{path.name} runs nothing"


@each_notebook
def test_what_prints_has_its_output_stored(path: Path) -> None:
    """A cell that calls `print` or `describe` has text: a removed output would prove nothing."""
    cells = chapters.code_cells(path)
    printing = [cell for cell in cells if prints(ast.parse(cell.source).body)]
    assert printing, f"{path.name} prints nothing"
    for cell in printing:
        assert chapters.printed(cell).strip(), where(path, cell)


@each_notebook
def test_outputs_are_free_of_errors_and_warnings(path: Path) -> None:
    """Nothing on stderr, and an exception only where a tag announces it."""
    for cell in chapters.code_cells(path):
        assert "stderr" not in [output.get("name") for output in cell.outputs], where(path, cell)
        raised = any(output.output_type == "error" for output in cell.outputs)
        assert raised == (RAISES in chapters.tags(cell)), where(path, cell)


@each_notebook
def test_nothing_tells_of_the_machine(path: Path) -> None:
    """No path, memory address or package registry of the machine that ran it, in code or output."""
    for cell in chapters.read(path).cells:
        text = cell.source
        if cell.cell_type == "code":
            assert not ADDRESS.search(chapters.printed(cell)), where(path, cell)
            text += "\n" + chapters.printed(cell)
        for pattern in (MACHINE_PATH, REGISTRY):
            assert not pattern.search(text), f"{where(path, cell)}: {pattern.search(text)}"


@each_notebook
def test_tags_are_known_and_markers_are_tags(path: Path) -> None:
    """nbval ignores a misspelt tag silently, and reads comments too; only three tags are used."""
    for cell in chapters.read(path).cells:
        assert set(chapters.tags(cell)) <= {APPROX, IGNORED, RAISES}, where(path, cell)
        assert not {APPROX, IGNORED} <= set(chapters.tags(cell)), where(path, cell)
        assert "NBVAL_" not in cell.source and "PYTEST_VALIDATE" not in cell.source


@each_notebook
def test_ignored_outputs_are_a_minority(path: Path) -> None:
    """At most one code cell in five is not compared, and `approx` stands where decimals are."""
    cells = chapters.code_cells(path)
    ignored = [cell for cell in cells if IGNORED in chapters.tags(cell)]
    assert len(ignored) <= LARGEST_IGNORED_SHARE * len(cells)
    for cell in cells:
        if APPROX in chapters.tags(cell):
            assert re.search(r"\d\.\d|\de[-+]?\d", chapters.printed(cell)), where(path, cell)


@each_notebook
def test_cells_are_short(path: Path) -> None:
    """One idea a cell: the loop aside, none is longer than a screen."""
    for cell in chapters.code_cells(path):
        if cell is not chapters.loop_cell(path):
            assert len(cell.source.splitlines()) <= LONGEST_CELL, where(path, cell)


@each_notebook
def test_each_figure_is_put_into_words(path: Path) -> None:
    """A figure is described by the same code cell or the next one, for readers who can't see it."""
    cells = chapters.code_cells(path)
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        texts = chapters.printed(cell)
        if following is not None and not pictures(following):
            texts += "\n" + chapters.printed(following)
        described = re.findall(r"^across: ", texts, re.MULTILINE)
        assert len(described) >= len(pictures(cell)), where(path, cell)


@each_notebook
def test_each_figure_is_opaque_on_white(path: Path) -> None:
    """A stored figure reads the same on a dark page, and is not empty."""
    for cell in chapters.code_cells(path):
        for picture in pictures(cell):
            image = plt.imread(io.BytesIO(picture))
            assert image.shape[2] == 3 or (image[..., 3] == 1).all(), where(path, cell)
            assert (image[0, 0, :3] == 1).all() and (image[-1, -1, :3] == 1).all()
            assert (image[..., :3] < 0.5).any(), where(path, cell)


@each_notebook
def test_decimals_in_prose_were_printed(path: Path) -> None:
    """No typed results: a decimal in the text occurs in one of the notebook's outputs."""
    outputs = "\n".join(chapters.printed(cell) for cell in chapters.code_cells(path))
    known = set(re.findall(r"(?<![\d.])\d+\.\d+", outputs))
    for source in chapters.markdown(path):
        typed = set(decimals_in_prose(source)) - known
        assert not typed, f"{path.name}: {typed} in {source[:80]!r}"


@each_notebook
def test_sections_that_are_referred_to_exist(path: Path) -> None:
    """ "Section 2.3" is a numbered heading of chapter 2."""
    for source in chapters.markdown(path):
        for number, section in SECTION.findall(chapters.without_fences(source)):
            numbered = [text for _, text in chapters.headings(chapters.chapter(int(number)))]
            assert any(text.startswith(f"{number}.{section} ") for text in numbered), (
                f"{path.name} refers to section {number}.{section}"
            )


@each_notebook
def test_the_title_cell(path: Path) -> None:
    """One cell: the chapter's number and name, a sentence, a line of facts with its neighbours."""
    first = chapters.read(path).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith(f"# {chapters.number(path)} · ")
    assert [level for level, _ in chapters.headings(path)].count(1) == 1
    facts = first.source.strip().splitlines()[-1]
    assert re.search(r"\d+ minutes", facts) and "seconds" in facts, facts


@each_chapter
def test_the_order_of_a_chapter(path: Path) -> None:
    """What you will learn, setup, data, idea, loop, evidence, mistakes made on purpose, recap."""
    cells = chapters.read(path).cells
    sections = [text for level, text in chapters.headings(path) if level == 2]
    assert sections[:3] == ["What you will be able to do", "Setup", "Data and model"]
    assert sections[-1] == "Recap"
    places = {cell.source.splitlines()[0]: place for place, cell in enumerate(cells) if cell.source}
    breaking = places["## Breaking it on purpose"]
    loop = cells.index(chapters.loop_cell(path))
    assert places["## Data and model"] < loop < breaking < places["## Recap"]
    between = cells[loop:breaking]
    assert any(cell.cell_type == "code" and pictures(cell) for cell in between), "no figure"


@each_chapter
def test_each_mistake_is_made_and_can_be_noticed(path: Path) -> None:
    """Under "Breaking it on purpose", each item runs a cell and says how one notices."""
    items: dict[str, list[NotebookNode]] = {}
    section = item = ""
    for cell in chapters.read(path).cells:
        heading = re.match(r"(##+) (.+)", cell.source)
        if cell.cell_type == "markdown" and heading:
            section = heading[2] if heading[1] == "##" else section
            item = heading[2] if heading[1] == "###" else ""
        if section == "Breaking it on purpose" and item:
            items.setdefault(item, []).append(cell)
    assert len(items) >= 2
    for item, cells in items.items():
        assert any(cell.cell_type == "code" for cell in cells), item
        assert any("**Notice it by**" in cell.source for cell in cells), item


def test_the_search_for_typed_decimals() -> None:
    """What counts as a decimal that claims a result, and what does not."""
    transformers = importlib.metadata.version("transformers").rpartition(".")[0]
    found = decimals_in_prose(
        "## 1.1 Heading\n\nSection 1.2 and [a link](file-0.3.html) in accelerate 1.15 and "
        f"transformers {transformers}, but `0.4`, 0.5. And **0.6**, (0.7) + 1.8\n\n"
        "```python\n0.9\n```\nHere torch 1.9 is no pinned version. 1.2.3 is none either."
    )
    assert found == ["0.4", "0.5", "0.6", "0.7", "1.8", "1.9"]
