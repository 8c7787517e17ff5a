"""Multiple choice, answered in Python. The questions stand in the chapters' Markdown."""

import tomllib
from functools import cache
from pathlib import Path

ANSWERS = Path(__file__).with_name("quizzes")


@cache
def answers(chapter: int) -> dict[int, dict[str, str]]:
    """Return for each question of a chapter its `right` option and what is said to each option."""
    path = ANSWERS / f"chapter_{chapter!s:0>2}.toml"
    if not path.is_file():
        raise ValueError(f"There is no quiz for chapter {chapter!r}. Write Quiz(chapter=1), say.")
    questions = tomllib.loads(path.read_text(encoding="utf-8"))
    return {int(number): entries for number, entries in questions.items()}


class Quiz:
    """One chapter's questions and what you answered in this session."""

    def __init__(self, chapter: int) -> None:
        self._answers = answers(chapter)
        self._given: dict[int, str] = {}

    def answer(self, number: int, option: str) -> None:
        """Print whether `option` is right for question `number`, and why. Never raises."""
        known = ", ".join(map(str, self._answers))
        if not isinstance(number, int) or number not in self._answers:
            print(f"There is no question {number!r}. There are: {known}.")
            return
        reasons = {key: said for key, said in self._answers[number].items() if key != "right"}
        option = str(option).strip().lower()
        if not option:
            print(f"{number}  not answered")
        elif option not in reasons:
            print(f"{number}  {option!r} is no option. There are: {', '.join(reasons)}.")
        else:
            self._given[number] = option
            right = option == self._answers[number]["right"]
            print(f"{number}  {'right' if right else 'wrong'}. {reasons[option]}")

    def score(self) -> None:
        """Print how many of the chapter's questions you have answered, and how many right."""
        right = sum(
            self._answers[number]["right"] == given for number, given in self._given.items()
        )
        print(f"{len(self._given)} of {len(self._answers)} answered, {right} right")
