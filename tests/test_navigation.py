"""Links, maps, commands and pins agree with the files that they speak of."""

import importlib.metadata
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests import chapters

README = chapters.ROOT / "README.md"
CONTRIBUTING = chapters.ROOT / "CONTRIBUTING.md"
START = chapters.NOTEBOOKS / "00_start_here.ipynb"
REQUIREMENTS = chapters.ROOT / "requirements.txt"
PAGES = [*chapters.chapters(), README, *filter(Path.exists, [CONTRIBUTING])]

LINK = re.compile(r"\[([^\]]*)\]\(<?([^)\s>]+)>?[^)]*\)|(?:src|href)=\"([^\"]+)\"")
REQUIRED = {"README.md", "requirements.txt", "pyproject.toml", "notebooks", "helpers", "tests"}
OPTIONAL = {"LICENSE", "CONTRIBUTING.md"}
LEFT_BY_TOOLS = ("*.egg-info", "build", "__pycache__")  # .gitignore has them as well
COMMANDS = (
    "python -m pip install -r requirements.txt && jupyter lab notebooks/00_start_here.ipynb",
    "python -m pip install -r requirements.txt && python -m pytest",
)


def sources(page: Path) -> list[str]:
    """Return the Markdown of a notebook or a Markdown file, without blocks of code."""
    texts = chapters.markdown(page) if page.suffix == ".ipynb" else [page.read_text("utf-8")]
    return [chapters.without_fences(text) for text in texts]


def links(page: Path) -> list[tuple[str, str]]:
    """Return (text, target) of each link and picture of a page that leads to no other site."""
    found = []
    for source in sources(page):
        for text, target, in_html in LINK.findall(source):
            if not re.match(r"[a-z]+:", target or in_html):
                found.append((text, target or in_html))
    return found


def notebooks_linked(page: Path) -> set[Path]:
    """Return the notebooks that a page links to."""
    targets = [(page.parent / target.partition("#")[0]).resolve() for _, target in links(page)]
    return {target for target in targets if target.suffix == ".ipynb"}


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as Jupyter and as GitHub spell them."""
    texts = [text for _, text in chapters.headings(page)]
    github = [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts]
    return {text.replace(" ", "-") for text in texts} | set(github)


def neighbour(page: Path, word: str) -> tuple[str, str] | None:
    """Return (text, target) of the link behind `previous:` or `next:` in the facts, if any."""
    facts = chapters.markdown(page)[0].strip().splitlines()[-1]
    found = re.search(rf"\b{word}: \[([^\]]+)\]\(([^)]+)\)", facts)
    return (found[1], found[2]) if found else None


def test_previous_and_next_make_one_chain() -> None:
    """Each chapter's facts link to its neighbours, by their titles; the ends have one neighbour."""
    pages = chapters.chapters()
    assert len(pages) >= 2
    for before, page, after in zip([None, *pages[:-1]], pages, [*pages[1:], None], strict=True):
        for word, other in (("previous", before), ("next", after)):
            expected = (chapters.title(other), other.name) if other else None
            assert neighbour(page, word) == expected, f"{page.name}, {word}"


def test_the_recap_leads_on() -> None:
    """The last cell of each chapter but the last links to the next one."""
    pages = chapters.chapters()
    for page, after in pairwise(pages):
        last = chapters.read(page).cells[-1].source
        assert f"[{chapters.title(after)}]({after.name})" in last, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link is an existing file, and its anchor an existing heading."""
    found = links(page)
    assert found or page == CONTRIBUTING, f"{page.name} has no links"
    for _, target in found:
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(file), f"{page.name} links to {target}"


def test_links_to_chapters_carry_their_titles() -> None:
    """Wherever a link's text begins with a number and a dot, it is the chapter's title."""
    for page in PAGES:
        for text, target in links(page):
            if target.endswith(".ipynb") and re.match(r"\d · ", text):
                assert text == chapters.title(page.parent / target), f"{page.name}: {text}"


def test_the_readme_maps_every_chapter() -> None:
    """The README links exactly to the notebooks that are there."""
    assert notebooks_linked(README) == set(chapters.chapters())


def test_the_first_page_maps_every_chapter() -> None:
    """Chapter 0 links exactly to the notebooks that are there, itself aside."""
    assert notebooks_linked(START) - {START} == set(chapters.chapters()) - {START}


def test_the_readme_gives_both_commands() -> None:
    """One line to read the course and one to test it, each as it is typed."""
    lines = [line.strip() for line in README.read_text(encoding="utf-8").splitlines()]
    for command in COMMANDS:
        assert command in lines


def test_the_top_level_holds_what_the_design_lists() -> None:
    """Nothing else lies beside the folders that a reader is told of; dot-files don't count."""
    found = {
        path.name
        for path in chapters.ROOT.iterdir()
        if not path.name.startswith(".") and not any(map(path.match, LEFT_BY_TOOLS))
    }
    assert REQUIRED <= found <= REQUIRED | OPTIONAL


def test_requirements_are_pinned_and_end_with_the_course() -> None:
    """Every package is pinned to one version, and the last line installs the helpers."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines[:-1] if not line.startswith("#")]
    assert lines[-1] == "-e ."
    assert len(pins) >= 10
    for line in pins:
        assert re.fullmatch(r"[a-z0-9-]+==\d[\w.]*", line), line


def test_the_pinned_versions_are_installed() -> None:
    """What runs here is what the stored outputs were made with; a local build's suffix aside."""
    pins = re.findall(r"^([a-z0-9-]+)==(.+)$", REQUIREMENTS.read_text("utf-8"), re.MULTILINE)
    installed = {name: importlib.metadata.version(name).partition("+")[0] for name, _ in pins}
    assert installed == dict(pins)
