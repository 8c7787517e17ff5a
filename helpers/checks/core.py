"""Run a learner's function on graded cases and say what came of it. Never raises on a mistake."""

import copy
import math
import traceback
from collections.abc import Callable, Sequence
from typing import Any

Case = tuple[str, tuple]  # what the case is, in words, and the arguments


def compare(
    number: str,
    answer: Callable,
    reference: Callable,
    cases: Sequence[Case],
    usual_cause: Callable[[tuple, Any, Any], str],
) -> None:
    """Print `not attempted`, `yes`, or `no` with the first case in which `answer` differs.

    `usual_cause(arguments, expected, got)` returns the sentence that names the mistake, or "".
    Arguments are copied for each call, so an answer that changes them spoils nothing.
    """
    if not callable(answer):
        print(f"{number}  no: expected a function, got {_show(answer)}.")
    elif is_untouched(answer):
        print(f"{number}  not attempted")
    else:
        for description, arguments in cases:
            expected = reference(*copy.deepcopy(arguments))
            try:
                got = answer(*copy.deepcopy(arguments))
            except Exception as error:
                print(f"{number}  no: {description}: expected {_show(expected)}, {_blame(error)}.")
                return
            if not same(got, expected):
                print(f"{number}  no: {description}: expected {_show(expected)}, got {_show(got)}.")
                cause = usual_cause(arguments, expected, got)
                if cause:
                    print(" " * len(number) + f"  {cause}")
                return
        print(f"{number}  yes: {len(cases)} cases, from {cases[0][0]} to {cases[-1][0]}.")


def is_untouched(answer: Callable) -> bool:
    """Return whether a function's body is still `...`, with or without a docstring."""

    def bare(): ...

    def documented():
        """Say what."""

    code = getattr(answer, "__code__", None)
    if code is None or set(code.co_consts) - {None, answer.__doc__}:
        return False
    return code.co_code in (bare.__code__.co_code, documented.__code__.co_code)


def same(got: Any, expected: Any) -> bool:
    """Return whether two numbers agree to six digits; other values must be equal."""
    if isinstance(expected, float):
        try:
            return math.isclose(float(got), expected, rel_tol=1e-6, abs_tol=1e-9)
        except (TypeError, ValueError, OverflowError):
            return False
    return type(got) is type(expected) and got == expected


def _blame(error: Exception) -> str:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "helpers" not in frame.filename
    ]
    place = f" at line {lines[0]} of your cell" if lines else ""
    return f"got {type(error).__name__}: {error}{place}"


def _show(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
