"""Run a learner's function on graded cases and say what came of it. Never raises on a mistake."""

import math
import traceback
from collections.abc import Callable, Sequence
from functools import partial, wraps
from inspect import isgeneratorfunction
from numbers import Number
from types import GeneratorType
from typing import Any

from helpers import progress
from helpers.checks.guard import SECONDS, Outcome, inside_an_answer, run

Case = tuple[str, Callable[[], tuple]]  # the case in words, and what makes its arguments anew
LONGEST_VALUE = 80  # characters of a value in a message
A_GENERATOR = "got a generator: there is a `yield` where a `return` should stand"
LINES_SHOWN = 5  # of what an answer printed in the case that differs


def compare(
    number: str,
    answer: Callable,
    reference: Callable,
    cases: Sequence[Case],
    usual_cause: Callable[[tuple, Any, Any], str],
    observe: Callable[[tuple, Any], Any] = lambda _, value: value,
) -> None:
    """Print `not attempted`, `yes`, or `no` with the first case in which `answer` differs.

    `reference` is a function marked with `@reference`, named `_` and the name of the answer.
    `usual_cause(arguments, expected, got)` returns the sentence that names the mistake, or "".
    `observe(arguments, value)` returns what is compared, by default the value that was returned;
    from a dictionary, only the first entry that differs is shown. Each call gets arguments of its
    own, so an answer that changes them spoils nothing. What came of it is noted for
    `python -m helpers.progress`, if the answer has the right name: a chapter's own example of a
    mistake is nobody's try.
    """
    if not callable(answer):
        _note(number, answer, reference, solved=False)
        print(f"{number}  no: expected a function, got {show(answer)}.")
    elif is_untouched(answer):
        print(f"{number}  not attempted")
    elif isgeneratorfunction(answer) and not isgeneratorfunction(reference.__wrapped__):
        _note(number, answer, reference, solved=False)
        print(f"{number}  no: expected a function that runs when it is called, {A_GENERATOR}.")
    else:
        for description, make in cases:
            expected = _result(run(reference.__wrapped__, make, observe))
            outcome = run(answer, make, observe)
            complaint = _complaint(answer, outcome, expected)
            if complaint:
                _note(number, answer, reference, solved=False)
                wanted = _difference(outcome.value, expected)[1]
                if outcome.error is not None and isinstance(expected, dict):
                    wanted = "an end" if outcome.too_long else "no exception"
                print(f"{number}  no: {description}: expected {wanted}, {complaint}.")
                if outcome.error is None:
                    named = partial(_name, usual_cause, expected, outcome.value)
                    _say(number, _result(run(named, make)))
                _show_printed(number, outcome.printed)
                return
        _note(number, answer, reference, solved=True)
        print(f"{number}  yes: {len(cases)} cases, from {cases[0][0]} to {cases[-1][0]}.")


def reference(function: Callable) -> Callable:
    """Mark a check's own answer: it refuses to work while a learner's answer runs."""

    @wraps(function)
    def guarded(*arguments, **options):
        if inside_an_answer():
            raise RuntimeError("your function calls the answer that it is compared with")
        return function(*arguments, **options)

    return guarded


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
    """Return whether two results agree: numbers to six digits, sequences item by item.

    A tensor or an array counts as the number or the list that it holds, and a tuple as a list.
    Whatever `got` is, nothing is raised.
    """
    try:
        return _same(got, expected)
    except Exception:  # an object of the learner's own, with an `__eq__` that fails, say
        return False


def _same(got: Any, expected: Any) -> bool:
    if callable(getattr(got, "tolist", None)):
        got = got.tolist()
    if isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    if isinstance(expected, Number):
        return isinstance(got, Number) and math.isclose(got, expected, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(expected, dict):
        matches = isinstance(got, dict) and got.keys() == expected.keys()
        return matches and all(same(got[key], value) for key, value in expected.items())
    if isinstance(expected, list | tuple):
        matches = isinstance(got, list | tuple) and len(got) == len(expected)
        return matches and all(map(same, got, expected))
    return type(got) is type(expected) and bool(got == expected)


def show(value: Any) -> str:
    """Return a value in at most LONGEST_VALUE characters, whatever it is."""
    try:
        text = _short(value)
    except Exception:
        text = f"an object of type {type(value).__name__} that cannot be shown"
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if type(value) is list:
        return "[" + ", ".join(map(_short, value)) + "]"
    return repr(value)


def _note(number: str, answer: Any, reference: Callable, solved: bool) -> None:
    wanted = reference.__name__.removeprefix("_")
    if getattr(answer, "__name__", wanted) in (wanted, "<lambda>"):
        progress.record(number, solved)


def _result(outcome: Outcome) -> Any:
    if outcome.error is not None:
        raise outcome.error  # the check's own fault, and not to be hidden
    return outcome.value


def _complaint(answer: Callable, outcome: Outcome, expected: Any) -> str:
    """Return what is wrong with an outcome, as the end of a sentence, or "" if nothing is."""
    if outcome.too_long:
        return (
            f"but your function was still running after {SECONDS} seconds and was stopped. "
            "Does its loop come to an end"
        )
    if outcome.error is not None:
        return _blame(answer, outcome.error)
    if isinstance(outcome.value, GeneratorType):
        return A_GENERATOR
    if same(outcome.value, expected):
        return ""
    return f"got {_difference(outcome.value, expected)[0]}"


def _difference(got: Any, expected: Any) -> tuple[str, str]:
    """Return both values in words; of two dictionaries, the first entry that differs."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            if key not in got:
                return f"no {key}", f"{key} {show(value)}"
            if not same(got[key], value):
                return f"{key} {show(got[key])}", f"{key} {show(value)}"
    return show(got), show(expected)


def _name(usual_cause: Callable, expected: Any, got: Any, *arguments: Any) -> str:
    return usual_cause(arguments, expected, got)


def _blame(answer: Callable, error: BaseException) -> str:
    text = f"got {type(error).__name__}: {' '.join(str(error).split())}"
    cell = getattr(getattr(answer, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == cell]
    if own:
        text += f" at line {own[-1].lineno} of your cell"
        text += f", `{own[-1].line}`" if own[-1].line else ""
    return text


def _say(number: str, sentence: str) -> None:
    if sentence:
        print(" " * len(number) + f"  {sentence}")


def _show_printed(number: str, printed: str) -> None:
    lines = printed.splitlines()
    if lines:
        _say(number, f"In this case your function printed {len(lines)} lines or more:")
        for line in lines[:LINES_SHOWN]:
            _say(number, f"| {line[:LONGEST_VALUE]}")
