"""Chapter 0's check of the environment, and quizzes given anything, say what they should."""

import re

import pytest

from helpers import environment
from helpers.checks import chapter_00
from helpers.quiz import Quiz


def test_what_is_no_function_is_told_so(capsys: pytest.CaptureFixture) -> None:
    """A result instead of a function does not raise."""
    chapter_00.padding_share(0.2)
    assert capsys.readouterr().out == "0.1  no: expected a function, got 0.2.\n"


def test_the_quiz_survives_any_answer(capsys: pytest.CaptureFixture) -> None:
    """Unknown questions and options are named; only real answers count."""
    quiz = Quiz(0)
    for number, option in ((1, ""), (1, "z"), (9, "a"), (1, None), (1, "a"), (1, "c")):
        quiz.answer(number, option)
    quiz.score()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1  not answered"
    assert "no option" in lines[1] and "no question 9" in lines[2] and "no option" in lines[3]
    assert lines[-1] == "1 of 1 answered, 1 right"


def test_the_environment_check_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """A wrong version warns, a missing package is to be fixed, a full machine is told of."""
    monkeypatch.setattr(environment, "pins", lambda: {"torch": "0.1", "no-such-package": "1.0"})
    monkeypatch.setattr(environment.os, "sched_getaffinity", lambda _: {0}, raising=False)
    environment.check()
    lines = capsys.readouterr().out.splitlines()
    assert any(
        re.match(r"warn  torch .* -> python -m pip install torch==0.1", row) for row in lines
    )
    missing = r"fix   no-such-package +missing  -> python -m pip install no-such-package==1.0"
    assert any(re.match(missing, row) for row in lines)
    assert any(row.startswith("warn  cores") for row in lines)
    assert lines[-1].endswith("1 fix")
