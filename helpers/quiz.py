"""Multiple choice, answered in Python. The questions stand in the chapters' Markdown."""

# For each chapter and question: the right option, and what to say to each option.
ANSWERS: dict[int, dict[int, tuple[str, dict[str, str]]]] = {
    0: {
        1: (
            "c",
            {
                "a": "A higher number of tokens says nothing about the reviewer's opinion: look at "
                "the two curves of the length histogram again.",
                "b": "The encoder was trained on IMDb, but the head is new and random, so the two "
                "logits do not mean anything yet.",
                "c": "The encoder has learnt from IMDb; the head that turns its output into two "
                "logits is random until you train it.",
            },
        ),
    },
}


class Quiz:
    """One chapter's questions and what you answered in this session."""

    def __init__(self, chapter: int) -> None:
        self._answers = ANSWERS[chapter]
        self._given: dict[int, str] = {}

    def answer(self, number: int, option: str) -> None:
        """Print whether `option` is right for question `number`, and why. Never raises."""
        if number not in self._answers:
            print(
                f"There is no question {number!r}. There are: {', '.join(map(str, self._answers))}."
            )
            return
        right, reasons = self._answers[number]
        option = str(option).strip().lower()
        if not option:
            print(f"{number}  not answered")
        elif option not in reasons:
            print(f"{number}  {option!r} is no option. There are: {', '.join(reasons)}.")
        else:
            self._given[number] = option
            print(f"{number}  {'right' if option == right else 'wrong'}. {reasons[option]}")

    def score(self) -> None:
        """Print how many of the chapter's questions you have answered, and how many right."""
        right = sum(self._answers[number][0] == given for number, given in self._given.items())
        print(f"{len(self._given)} of {len(self._answers)} answered, {right} right")
