"""Each exercise keeps its promise: the stub waits, the folded solution passes, mistakes are named.

`wrong_answers/exercise_C_N.py` holds what people answer to exercise C.N: cells that begin with
`# %% yes`, for a right answer of another style, or `# %% no: ` and a part of what the check says.
"""

import ast
import inspect
import linecache
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers import progress, quiz
from helpers.checks import guard
from tests import chapters

ANSWERS = Path(__file__).with_name("wrong_answers")
SOLUTION = re.compile(r"<summary>Solution</summary>\s*```python\n(.*?)```", re.DOTALL)
DEFINING = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
WRONG, RIGHT_LOOPS = 4, 2  # answers at least, for each exercise


class Exercise(NamedTuple):
    """One exercise of a notebook, from its heading to its folded solution."""

    path: Path
    number: str
    prose: str
    code: list[str]

    @property
    def stub(self) -> str:
        """The last code cell of the exercise, which ends in the call of the check."""
        return self.code[-1]

    @property
    def solution(self) -> str:
        """The one copy of the solution."""
        (code,) = SOLUTION.findall(self.prose)
        return code


class Answer(NamedTuple):
    """A stored answer to an exercise, and what the check must say to it."""

    number: str
    verdict: str
    reason: str
    source: str


def exercises() -> list[Exercise]:
    """Return every exercise of the course."""
    found = []
    for path in chapters.chapters():
        current = None
        for cell in chapters.read(path).cells:
            heading = progress.HEADING.search(cell.source) if cell.cell_type == "markdown" else None
            if heading:
                current = Exercise(path, heading[1], "", [])
            if current and cell.cell_type == "markdown":
                current = current._replace(prose=current.prose + "\n" + cell.source)
            elif current:
                current.code.append(cell.source)
            if current and "<summary>Solution</summary>" in cell.source:
                found.append(current)
                current = None
        assert current is None, f"exercise {current.number} has no solution"
    return found


def answers() -> list[Answer]:
    """Return every stored answer."""
    found = []
    for path in sorted(ANSWERS.glob("exercise_*.py")):
        number = ".".join(path.stem.split("_")[1:])
        cells = re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert not cells[0].strip(), f"{path.name} does not begin with `# %% `"
        for cell in cells[1:]:
            first, _, source = cell.partition("\n")
            verdict, _, reason = first.partition(": ")
            assert verdict in ("yes", "no") and bool(reason) == (verdict == "no"), first
            found.append(Answer(number, verdict, reason, source))
    return found


def said_to(exercise: Exercise, capsys: pytest.CaptureFixture, answer: str | None = None) -> str:
    """Run the stub's cell, or the answer and the check; return what the check said."""
    names = imported(exercise.path)
    capsys.readouterr()
    run_stub(exercise, answer, names)
    return capsys.readouterr().out


def imported(path: Path) -> dict:
    """Return what a chapter imports and defines; its own names as `inspect` can find them."""
    names: dict = {}
    for number, cell in enumerate(chapters.code_cells(path)):
        kept = [node for node in ast.parse(cell.source).body if isinstance(node, DEFINING)]
        file = f"<{path.stem}, code cell {number}>"
        linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(True), file)
        exec(compile(ast.Module(kept, type_ignores=[]), file, "exec"), names)
    return names


def run_stub(exercise: Exercise, answer: str | None, names: dict) -> None:
    """Run the stub's cell, with its function replaced by the answer if there is one."""
    stub = ast.parse(exercise.stub)
    if answer is not None:
        exec(compile(answer, "answer", "exec"), names)
        stub.body = [node for node in stub.body if not isinstance(node, ast.FunctionDef)]
    exec(compile(stub, "stub", "exec"), names)


each_exercise = pytest.mark.parametrize(
    "exercise", exercises(), ids=[exercise.number for exercise in exercises()]
)


@each_exercise
def test_the_form_of_an_exercise(exercise: Exercise) -> None:
    """Title, stars, minutes, expected output, two hints and a solution, in this order."""
    places = [
        exercise.prose.find(part)
        for part in (
            "### Exercise",
            "Expected: ",
            "<summary>Hint 1</summary>",
            "<summary>Hint 2</summary>",
            "<summary>Solution</summary>",
        )
    ]
    assert -1 not in places and places == sorted(places)
    assert exercise.number.startswith(f"{chapters.number(exercise.path)}.")
    assert exercise.prose.count("<details>") == exercise.prose.count("</details>") == 3


@each_exercise
def test_the_untouched_stub_is_not_attempted(exercise: Exercise, capsys) -> None:
    """Run All on an untouched notebook says so, and no more."""
    assert said_to(exercise, capsys) == f"{exercise.number}  not attempted\n"


@each_exercise
def test_the_folded_solution_is_right(exercise: Exercise, capsys, tmp_path, monkeypatch) -> None:
    """The one copy of the solution passes the check, and counts as progress."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.jsonl"))
    assert said_to(exercise, capsys, exercise.solution).startswith(f"{exercise.number}  yes: ")
    assert progress.states() == {exercise.number: "solved"}


@pytest.mark.parametrize(
    "path", sorted({exercise.path for exercise in exercises()}), ids=lambda path: path.stem
)
def test_run_all_with_the_solutions_filled_in(path: Path, capsys) -> None:
    """From the first exercise on, nothing raises, and each exercise is solved.

    What comes before it does not know of solutions, and runs untouched with the notebook itself.
    """
    own = {exercise.stub: exercise for exercise in exercises() if exercise.path == path}
    cells = [cell.source for cell in chapters.code_cells(path)]
    names = imported(path)
    for source in cells[min(map(cells.index, own)) :]:
        if source in own:
            run_stub(own[source], own[source].solution, names)
        else:
            exec(compile(source, "cell", "exec"), names)
    assert capsys.readouterr().out.count("  yes: ") == len(own)


@each_exercise
def test_there_are_enough_answers(exercise: Exercise) -> None:
    """At least four mistakes, and two right answers of another style."""
    verdicts = [answer.verdict for answer in answers() if answer.number == exercise.number]
    assert verdicts.count("no") >= WRONG
    assert verdicts.count("yes") >= RIGHT_LOOPS


@pytest.mark.parametrize(
    "answer", answers(), ids=[f"{answer.number} {answer.reason or 'yes'}" for answer in answers()]
)
def test_an_answer_is_told_what_it_is(answer: Answer, capsys, monkeypatch) -> None:
    """Right in another style: yes. A mistake people make: no, and for the right reason."""
    monkeypatch.setattr(guard, "SECONDS", 2)  # of the ten that an endless loop gets
    (exercise,) = [each for each in exercises() if each.number == answer.number]
    said = said_to(exercise, capsys, answer.source)
    assert said.startswith(f"{answer.number}  {answer.verdict}: "), said
    assert answer.reason.lower() in said.lower(), said


def test_each_exercise_has_a_check_and_each_check_an_exercise() -> None:
    """Numbers are unique and count up from 1 in each chapter; no answers without an exercise."""
    numbers = [exercise.number for exercise in exercises()]
    assert numbers
    for path in chapters.chapters():
        own = [number for number in numbers if number.startswith(f"{chapters.number(path)}.")]
        assert own == [f"{chapters.number(path)}.{count + 1}" for count in range(len(own))]
    assert {answer.number for answer in answers()} == set(numbers)


def asked(path: Path) -> dict[int, str]:
    """Return the text of each question in a chapter's Markdown."""
    text = "\n".join(chapters.markdown(path))
    questions = re.split(r"\*\*Question (\d+)\.\*\*", text)[1:]
    return dict(zip(map(int, questions[::2]), questions[1::2], strict=True))


with_a_quiz = [path for path in chapters.chapters() if asked(path)]


@pytest.mark.parametrize("path", with_a_quiz, ids=lambda path: path.stem)
def test_each_option_of_a_quiz_is_explained(path: Path, capsys) -> None:
    """The options in the text are those that can be answered; each has a reason of its own."""
    number = chapters.number(path)
    stored = quiz.answers(number)
    assert asked(path).keys() == stored.keys()
    for question, entries in stored.items():
        reasons = {option: said for option, said in entries.items() if option != "right"}
        assert re.findall(r"^- ([a-z])\) ", asked(path)[question], re.MULTILINE) == list(reasons)
        assert len(set(reasons.values())) == len(reasons) >= 3
        for option, reason in reasons.items():
            quiz.Quiz(number).answer(question, option.upper())
            verdict = "right" if option == entries["right"] else "wrong"
            assert capsys.readouterr().out == f"{question}  {verdict}. {reason}\n"
    cells = "\n".join(cell.source for cell in chapters.code_cells(path))
    called = [int(count) for count in re.findall(r"quiz\.answer\((\d+), \"\"\)", cells)]
    assert called == list(stored) and "quiz.score()" in cells


def test_the_right_option_cannot_be_guessed() -> None:
    """Neither its letter nor its length gives it away, in the text or in the explanation."""
    letters, longest = [], []
    for path in with_a_quiz:
        for question, entries in quiz.answers(chapters.number(path)).items():
            options = dict(
                re.findall(r"^- ([a-z])\) (.*)$", asked(path)[question], flags=re.MULTILINE)
            )
            letters.append(entries["right"])
            longest.append(max(options, key=lambda letter: len(options[letter])))
    assert set(letters) == {"a", "b", "c"}
    assert max(map(letters.count, "abc")) <= 0.6 * len(letters)
    assert [*map(str.__eq__, letters, longest)].count(True) <= 0.5 * len(letters)


def test_the_stub_shows_the_arguments_of_the_solution() -> None:
    """Stub and solution of an exercise take the same arguments."""
    for exercise in exercises():
        names: list[dict] = [{}, {}]
        for source, found in zip((exercise.stub, exercise.solution), names, strict=True):
            body = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
            exec(compile(ast.Module(body[-1:], type_ignores=[]), "cell", "exec"), found)
        stub, solution = (
            next(value for key, value in found.items() if key != "__builtins__") for found in names
        )
        assert inspect.signature(stub) == inspect.signature(solution), exercise.number
