"""A learner's progress: what checks note, what is said of it, and what damage does to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from helpers import progress
from helpers.checks import chapter_00
from tests import chapters


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Progress is noted in this file, which is not there yet."""
    path = tmp_path / "progress.jsonl"
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    return path


def padding_share(lengths):
    """The right answer; the others get its name below."""
    return 1 - sum(lengths) / max(lengths) / len(lengths)


def untouched(lengths): ...


def wrong(lengths):
    return 0.5


def test_checks_note_what_was_tried_and_solved(noted: Path) -> None:
    """Untouched is open, a wrong answer is tried; once solved, it stays solved."""
    chapter_00.padding_share(wrong)  # an example in a chapter's text: nobody's try
    states = []
    untouched.__name__ = wrong.__name__ = "padding_share"
    for answer in (untouched, wrong, padding_share, wrong):
        chapter_00.padding_share(answer)
        states.append(progress.states())
    assert states == [{}, {"0.1": "tried"}, {"0.1": "solved"}, {"0.1": "solved"}]
    noted.unlink()
    assert progress.states() == {}


def test_every_exercise_of_every_chapter_is_listed(noted: Path, capsys) -> None:
    """The list is the notebooks' own, with the state of each and a count for each chapter."""
    progress.record("1.2", solved=True)
    progress.record("0.1", solved=False)
    progress.show()
    said = capsys.readouterr().out
    listed = [row for rows in progress.exercises().values() for row in rows]
    headings = [
        text
        for path in chapters.chapters()
        for level, text in chapters.headings(path)
        if level == 3 and text.startswith("Exercise ")
    ]
    assert [
        f"Exercise {number} · {title} · {stars} · {minutes} minutes"
        for number, title, stars, minutes in listed
    ] == headings
    assert said.count("  solved  ") == said.count("  tried   ") == 1
    assert said.count("  open    ") == len(headings) - 2
    assert "  solved  1.2  " in said and "  tried   0.1  " in said
    assert f": 1 of {sum(h.startswith('Exercise 1.') for h in headings)} solved\n" in said


@pytest.mark.parametrize(
    "damage",
    [
        b"\xff\xfe\n",
        b'{"exercise": "1.1", "sol',
        b"[]\n",
        b'{"exercise": 1, "solved": true}\n',
        b"\0",
    ],
)
def test_a_damaged_file_is_set_aside(noted: Path, capsys, damage: bytes) -> None:
    """What can be read still counts, the rest is kept; the next look finds nothing wrong."""
    progress.record("1.2", solved=True)
    noted.write_bytes(noted.read_bytes() + damage)
    before = noted.read_bytes()
    assert progress.states() == {"1.2": "solved"}
    assert "kept as progress-damaged-1.jsonl" in capsys.readouterr().out
    assert noted.with_name("progress-damaged-1.jsonl").read_bytes() == before
    assert progress.states() == {"1.2": "solved"}
    assert capsys.readouterr().out == ""


def test_a_second_damage_does_not_overwrite_the_first(noted: Path) -> None:
    """Each damaged file gets a name of its own."""
    for damage in (b"first", b"second"):
        noted.write_bytes(damage)
        progress.states()
    kept = [noted.with_name(f"progress-damaged-{count}.jsonl").read_bytes() for count in (1, 2)]
    assert kept == [b"first", b"second"]


def test_where_nothing_can_be_noted_the_check_still_answers(noted: Path, capsys) -> None:
    """A folder in the file's place, say."""
    noted.mkdir()
    chapter_00.padding_share(padding_share)
    said = capsys.readouterr().out
    assert "0.1  yes: " in said and "not noted" in said
    progress.show()
    assert "cannot be read" in capsys.readouterr().out


def test_the_command(noted: Path) -> None:
    """`python -m helpers.progress` prints the same, from any folder."""
    progress.record("0.1", solved=True)
    done = subprocess.run(
        [sys.executable, "-m", "helpers.progress"],
        capture_output=True, text=True, cwd=noted.parent, check=True,
    )  # fmt: skip
    assert "  solved  0.1  " in done.stdout and done.stderr == ""


def test_test_runs_are_no_progress() -> None:
    """Without the fixture above, checks note nothing."""
    progress.record("0.1", solved=True)
    assert progress.states() == {}
