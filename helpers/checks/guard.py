"""Call a function that may do anything, and leave the process as it was before."""

import builtins
import copy
import ctypes
import io
import os
import random
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import torch
from accelerate.state import AcceleratorState, GradientState, PartialState

SECONDS = 10  # after which a call is stopped
SOON = 2e-5  # seconds to the next attempt to stop it, should it catch the first one
PRINTED = 2_000  # characters kept of what it prints
SEED = 0

_running = threading.Event()


class Outcome(NamedTuple):
    """What came of a call: its value, or the exception that ended it, and what it printed."""

    value: Any
    error: BaseException | None
    printed: str

    @property
    def too_long(self) -> bool:
        """Whether the call was stopped because it took too long."""
        return isinstance(self.error, _TooLong)


class _TooLong(BaseException):
    """Not an `Exception`, so that a learner's `except Exception` lets it pass."""


class _Limited(io.StringIO):
    """Keeps the first PRINTED characters and forgets the others."""

    def write(self, text: str) -> int:
        room = PRINTED - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)


def run(
    function: Callable,
    make_arguments: Callable[[], tuple],
    observe: Callable[[tuple, Any], Any] = lambda _, value: value,
) -> Outcome:
    """Call `function(*arguments)`, arguments made anew, and return what came of it.

    `observe(arguments, value)` may turn the value, and what was done to the arguments, into
    another value to be compared.

    The call starts from seed SEED and without Accelerate's settings, cannot read input, and is
    stopped after SECONDS. What it prints is kept aside. Random generators, Accelerate's settings,
    torch's modes, warnings, the environment and the working directory are put back afterwards.
    Raises KeyboardInterrupt when the learner interrupts, and nothing else.
    """
    printed = _Limited()
    value = error = None
    with _restored():
        arguments = make_arguments()
        _seed()
        with redirect_stdout(printed), redirect_stderr(printed):
            clock = _clock(SECONDS)
            try:
                _running.set()
                clock.start()
                value = observe(arguments, function(*arguments))
            except KeyboardInterrupt:
                raise
            except BaseException as raised:  # SystemExit too: `exit()` must not end the kernel
                error = raised
            finally:
                clock.stop()
                _running.clear()
    return Outcome(value, error, printed.getvalue())


def inside_an_answer() -> bool:
    """Return whether a call of `run` is going on in this process."""
    return _running.is_set()


@contextmanager
def _restored() -> Iterator[None]:
    generators = random.getstate(), np.random.get_state(), torch.get_rng_state()
    modes = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
    environment, folder, read = dict(os.environ), Path.cwd(), builtins.input
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        for state in (AcceleratorState, PartialState, GradientState):
            stack.enter_context(_without(state._shared_state))
        builtins.input = _no_input
        try:
            yield
        finally:
            builtins.input = read
            random.setstate(generators[0])
            np.random.set_state(generators[1])
            torch.set_rng_state(generators[2])
            torch.set_grad_enabled(modes[0])
            torch.set_default_dtype(modes[1])
            if torch.get_num_threads() != modes[2]:
                torch.set_num_threads(modes[2])
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)


@contextmanager
def _without(shared: dict) -> Iterator[None]:
    """Empty a dictionary that others hold, and fill it again as it was."""
    # Accelerate changes the lists inside in place, so they are copied; what they hold is not.
    before = {
        key: copy.copy(item) if isinstance(item, list) else item for key, item in shared.items()
    }
    shared.clear()
    try:
        yield
    finally:
        shared.clear()
        shared.update(before)


def _seed() -> None:
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)


def _no_input(*_: Any) -> str:
    raise RuntimeError("`input()` waits for somebody to type; use the arguments instead")


def _clock(seconds: float) -> "_Alarm | _Watcher":
    """Return what raises _TooLong in this thread, again and again until the call is left."""
    in_main = threading.current_thread() is threading.main_thread()
    return _Alarm(seconds) if in_main and hasattr(signal, "setitimer") else _Watcher(seconds)


class _Alarm:
    """A signal: it stops whatever the main thread does, and sleep too."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._rings = seconds, 0

    def start(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)

    def _ring(self, _: int, frame: FrameType | None) -> None:
        # A bare `except` inside a loop catches the exception. The next one comes so soon that it
        # finds the loop in the body of that `except`, where nothing catches it; the pause changes,
        # so that it cannot miss for ever.
        self._rings += 1
        pause = SOON * (1 + self._rings * 0.618 % 1 * 20)
        signal.setitimer(signal.ITIMER_REAL, pause)
        if (
            frame is None or frame.f_code.co_filename != __file__
        ):  # not while `run` puts things back
            raise _TooLong


class _Watcher:
    """A second thread, for Windows and for calls outside of the main thread.

    It stops Python code, but neither a call that sleeps nor an endless loop with a bare `except`.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._left = seconds, threading.Event()
        self._watched = ctypes.c_ulong(threading.get_ident())

    def start(self) -> None:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._left.set()
        self._thread.join()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._watched, None)  # one that came too late

    def _watch(self) -> None:
        if not self._left.wait(self._seconds):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(self._watched, ctypes.py_object(_TooLong))
