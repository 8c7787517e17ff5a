"""The check of chapter 0's exercise."""

from collections.abc import Callable
from typing import Any

from helpers.checks.core import compare, reference, same


def padding_share(answer: Callable) -> None:
    """Check exercise 0.1: the share of a padded batch that is padding."""
    cases = [
        ("rows of 3 and 5 tokens", lambda: ([3, 5],)),
        ("rows of equal length", lambda: ([4, 4, 4],)),
        ("rows of 2, 10 and 9 tokens", lambda: ([2, 10, 9],)),
        ("one row", lambda: ([7],)),
    ]
    compare("0.1", answer, _padding_share, cases, _usual_cause)


@reference
def _padding_share(lengths: list[int]) -> float:
    return 1 - sum(lengths) / (max(lengths) * len(lengths))


def _usual_cause(arguments: tuple, expected: float, got: Any) -> str:
    (lengths,) = arguments
    area = max(lengths) * len(lengths)
    if got is None:
        return "Your function returns nothing. Is there a `return` in front of the result?"
    if same(got, 1 - expected):
        return "That is the share of real tokens. Padding is the rest."
    if same(got, float(area - sum(lengths))):
        return "That is the number of padding tokens. Divide by the size of the rectangle."
    if same(got, expected * 100):
        return "That is a percentage. The share is a number between 0 and 1."
    if sum(lengths) and same(got, (area - sum(lengths)) / sum(lengths)):
        return "You divide by the real tokens. Divide by all places of the rectangle."
    return "The rectangle has as many columns as the longest row. How many places does it have?"
