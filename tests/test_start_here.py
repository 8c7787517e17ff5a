"""Chapter 0's exercise, quiz and environment check say what they should."""

import re

import pytest

from helpers import environment
from helpers.checks import chapter_00
from helpers.quiz import ANSWERS, Quiz
from tests import chapters

START = chapters.chapter(0)


def folded_solution() -> str:
    """Return the code of the solution that is folded in the chapter's Markdown."""
    text = "\n".join(chapters.markdown(START))
    (code,) = re.findall(r"<summary>Solution</summary>\s*```python\n(.*?)```", text, re.DOTALL)
    return code


def stub() -> str:
    """Return the code of the exercise's stub, without the call of the check."""
    (cell,) = [cell for cell in chapters.code_cells(START) if "def padding_share" in cell.source]
    return cell.source.replace("check.padding_share(padding_share)", "")


def said_to(source: str, capsys: pytest.CaptureFixture) -> str:
    """Return what the check says to the answer that `source` defines."""
    names: dict = {}
    exec(source, names)
    chapter_00.padding_share(names["padding_share"])
    return capsys.readouterr().out


def test_the_untouched_stub_is_not_attempted(capsys: pytest.CaptureFixture) -> None:
    """Run All on an untouched notebook says so, and no more."""
    assert said_to(stub(), capsys) == "0.1  not attempted\n"


def test_the_folded_solution_is_right(capsys: pytest.CaptureFixture) -> None:
    """The one copy of the solution passes the check."""
    assert said_to(folded_solution(), capsys).startswith("0.1  yes: 4 cases")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return sum(lengths) / (max(lengths) * len(lengths))", "share of real tokens"),
        ("return max(lengths) * len(lengths) - sum(lengths)", "number of padding tokens"),
        ("return 100 * (1 - sum(lengths) / max(lengths) / len(lengths))", "percentage"),
        ("return max(lengths) * len(lengths) / sum(lengths) - 1", "divide by the real tokens"),
        ("1 - sum(lengths) / (max(lengths) * len(lengths))", "returns nothing"),
        ("return 0.2", "rectangle has as many columns"),
        ("return 1 / 0", "ZeroDivisionError: division by zero at line 2 of your cell"),
        ("return [0.2]", "expected 0.2, got [0.2]"),
        ("return float('nan')", "got nan"),
        ("lengths.clear(); return 0.2", "rectangle has as many columns"),
    ],
)
def test_a_wrong_answer_is_told_why(body: str, reason: str, capsys: pytest.CaptureFixture) -> None:
    """Each mistake gets `no` and its own reason, and nothing raises."""
    said = said_to(f"def padding_share(lengths):\n    {body}", capsys)
    assert said.startswith("0.1  no: rows of ")
    assert reason in said


def test_what_is_no_function_is_told_so(capsys: pytest.CaptureFixture) -> None:
    """A result instead of a function does not raise."""
    chapter_00.padding_share(0.2)
    assert capsys.readouterr().out == "0.1  no: expected a function, got 0.2.\n"


@pytest.mark.parametrize("chapter", ANSWERS)
def test_each_option_of_the_quiz_is_explained(chapter: int, capsys: pytest.CaptureFixture) -> None:
    """The options in the text are those that can be answered; each has a reason of its own."""
    text = "\n".join(chapters.markdown(chapters.chapter(chapter)))
    questions = re.split(r"\*\*Question (\d+)\.\*\*", text)[1:]
    asked = dict(zip(map(int, questions[::2]), questions[1::2], strict=True))
    assert asked.keys() == ANSWERS[chapter].keys()
    for number, (right, reasons) in ANSWERS[chapter].items():
        assert re.findall(r"^- ([a-z])\) ", asked[number], re.MULTILINE) == list(reasons)
        assert len(set(reasons.values())) == len(reasons)
        for option in reasons:
            Quiz(chapter).answer(number, option.upper())
            verdict = "right" if option == right else "wrong"
            assert capsys.readouterr().out == f"{number}  {verdict}. {reasons[option]}\n"


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
