"""A check survives whatever a learner hands it, names it, and leaves the process as it was."""

import contextlib
import os
import random
import signal
import threading
import time
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from helpers.checks import core, guard
from helpers.notebook import reset_accelerate


@core.reference
def double(numbers: list[int]) -> list[int]:
    """The check's own answer."""
    return [2 * number for number in numbers]


def said(answer, capsys: pytest.CaptureFixture) -> str:
    """Return what a check of `double` says to an answer."""
    cases = [("one number", lambda: ([1],)), ("two numbers", lambda: ([1, 2],))]
    core.compare("9.9", answer, double, cases, lambda *_: "")
    return capsys.readouterr().out


class Strange:
    """Can neither be shown nor compared nor counted."""

    def __repr__(self) -> str:
        raise ValueError

    __eq__ = __len__ = __iter__ = __repr__
    __hash__ = None


def catches_exceptions(_: list) -> None:
    """Run for ever, and catch what an ordinary stop would raise."""
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def catches_everything(_: list) -> None:
    """Run for ever, and catch what every stop raises."""
    while True:
        try:
            sum(range(1000))
        except:  # noqa: E722
            sum(range(1000))


def ignores_the_clock(_: list) -> None:
    """Sleep for much longer than is allowed."""
    time.sleep(60)


def reads(_: list) -> str:
    """Wait for somebody to type."""
    return input("numbers: ")


def floods(_: list) -> None:
    """Print a million lines, and return nothing."""
    for number in range(1_000_000):
        print("line", number)


def leaves(_: list) -> None:
    """Try to end the process."""
    raise SystemExit


def spoils(numbers: list) -> list:
    """Change the case, and return something wrong."""
    numbers.append(7)
    return numbers


def yields(numbers: list):
    """Yield where a return should stand."""
    yield from numbers


def copies(numbers: list) -> list:
    """Ask the reference."""
    return double(numbers)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _: [2], "two numbers: expected [2, 4], got [2]."),
        (lambda n: n.clear(), "one number: expected [2], got None."),
        (lambda _: 1 / 0, "got ZeroDivisionError: division by zero at line "),
        (lambda: [2], "got TypeError: "),
        (lambda _: [float("nan")], "got [nan]."),
        (lambda _: torch.tensor([1.0]), "got tensor([1.])."),
        (lambda _: Strange(), "got an object of type Strange that cannot be shown."),
        (lambda _: list(range(10_000)), "..."),
        (lambda _: [True], "got [True]."),
        (spoils, "got [1, 7]."),
        (yields, "expected a function that runs when it is called, got a generator"),
        (lambda n: (2 * number for number in n), "one number: expected [2], got a generator"),
        (reads, "`input()` waits for somebody to type"),
        (leaves, "got SystemExit"),
        (copies, "your function calls the answer that it is compared with"),
        (floods, "| line 0\n"),
        (3, "expected a function, got 3."),
        (None, "expected a function, got None."),
    ],
)
def test_a_check_says_no_and_does_not_raise(answer, reason: str, capsys) -> None:
    """Each of these is a `no` with its own reason, in few lines."""
    text = said(answer, capsys)
    assert text.startswith("9.9  no: ")
    assert reason in text
    assert len(text) < 1000


@pytest.mark.parametrize(
    ("answer", "in_a_thread"),
    [
        (catches_exceptions, False),
        (catches_everything, False),
        (ignores_the_clock, False),
        (catches_exceptions, True),
    ],
)
def test_an_endless_answer_is_stopped(answer, in_a_thread: bool, capsys, monkeypatch) -> None:
    """By a signal in the main thread, by an exception from outside in another or on Windows."""
    monkeypatch.setattr(guard, "SECONDS", 0.2)
    handler = signal.getsignal(signal.SIGALRM)
    started, texts = perf_counter(), []
    if in_a_thread:
        thread = threading.Thread(target=lambda: texts.append(said(answer, capsys)), daemon=True)
        thread.start()
        thread.join(20)
    else:
        texts.append(said(answer, capsys))
    assert perf_counter() - started < 15
    assert "was still running after 10 seconds and was stopped" in texts[0]
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize(
    "answer",
    [double.__wrapped__, lambda n: tuple(2 * x for x in n), lambda n: 2 * torch.tensor(n)],
    ids=["list", "tuple", "tensor"],
)
def test_right_answers_of_another_style_are_right(answer, capsys) -> None:
    """A list, a tuple and a tensor of the same numbers are the same answer."""
    assert said(answer, capsys) == "9.9  yes: 2 cases, from one number to two numbers.\n"


def test_the_learner_can_interrupt() -> None:
    """The stop button of Jupyter is not one of the learner's mistakes."""

    def interrupted(_: list) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard.run(interrupted, lambda: ([],))
    assert not guard.inside_an_answer()


def test_a_fault_in_the_check_is_not_hidden(capsys) -> None:
    """If the reference fails, the check is wrong, and says nothing about the learner."""

    @core.reference
    def broken(_: list) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        core.compare("9.9", lambda _: 1, broken, [("a case", lambda: ([],))], lambda *_: "")
    assert capsys.readouterr().out == ""


def test_the_process_is_left_as_it_was(tmp_path: Path, monkeypatch) -> None:
    """Generators, Accelerate's settings, modes, warnings, environment and folder are put back."""

    def meddles() -> list[float]:
        drawn = [random.random(), np.random.rand(), torch.rand(1).item()]
        random.seed(5), np.random.seed(5), torch.manual_seed(5)
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        warnings.simplefilter("error")
        os.environ["COURSE_MEDDLED"] = "1"
        os.chdir(tmp_path)
        assert Accelerator(gradient_accumulation_steps=8).gradient_accumulation_steps == 8
        return drawn

    reset_accelerate()
    accelerator = Accelerator(gradient_accumulation_steps=2)
    folder, filters = Path.cwd(), list(warnings.filters)
    states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    first, second = guard.run(meddles, tuple), guard.run(meddles, tuple)
    assert first.error is None and second.error is None
    assert first.value == second.value, "a check must draw the same numbers each time"
    assert states == (
        random.getstate(),
        np.random.get_state()[1].tolist(),
        torch.get_rng_state().tolist(),
    )
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32
    assert warnings.filters == filters
    assert "COURSE_MEDDLED" not in os.environ and Path.cwd() == folder
    assert accelerator.gradient_accumulation_steps == 2
    assert Accelerator(gradient_accumulation_steps=2).state is not None
    reset_accelerate()
