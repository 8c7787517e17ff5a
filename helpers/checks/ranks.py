"""Ranks without processes: an answer is called for each rank, and the ranks meet in collectives.

A collective is a call that returns when all ranks have made it. A rank that comes to one whose
result is not known yet is left there, by an exception. When all have come, it is known, and each
rank is called anew and comes one collective further. So nothing has to run at the same time, and
who waits for whom in vain is seen at once, without a time limit.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from traceback import walk_tb
from typing import Any, NamedTuple

import torch

from helpers.checks.guard import SEED

KNOWN = (
    "process_index, num_processes, is_main_process, device, gather, gather_for_metrics, reduce, "
    "wait_for_everyone, print"
)


class _Left(BaseException):
    """Ends the call of a rank that waits; not an `Exception`, so that no answer catches it."""


class Rank:
    """Stands in for the accelerator of one rank. `log` notes its collectives, and what is added."""

    def __init__(self, index: int, processes: int, known: Sequence[Any] = ()) -> None:
        self.process_index = self.local_process_index = index
        self.num_processes = processes
        self.is_main_process = self.is_local_main_process = index == 0
        self.is_last_process = index == processes - 1
        self.device = torch.device("cpu")
        self.remainder = 0  # of the last batch, the samples on all ranks without the duplicates
        self.log: list[str] = []
        self.waits_in, self.given = "", None
        self._known = iter(known)

    def meet(self, name: str, given: Any = None) -> Any:
        """Return the result of the next collective, or wait for it."""
        self.log.append(name)
        for result in self._known:
            return result.clone() if isinstance(result, torch.Tensor) else result
        self.waits_in, self.given = name, given
        raise _Left

    def gather(self, data: Any, name: str = "gather") -> Any:
        """Return the rows of all ranks, rank by rank."""
        if isinstance(data, tuple | list):
            return type(data)(self.gather(each, name) for each in data)
        if isinstance(data, dict):
            return {key: self.gather(each, name) for key, each in data.items()}
        if self.num_processes == 1:
            return data
        return self.meet(name, _tensor(data, name).detach().reshape(data.shape or (1,)))

    def gather_for_metrics(self, data: Any) -> Any:
        """Return the rows of all ranks; in the last batch of a loader, without the duplicates."""
        name = "gather_for_metrics"
        if isinstance(data, list) and not any(isinstance(each, torch.Tensor) for each in data):
            gathered = data if self.num_processes == 1 else self.meet(name, data)
        else:
            gathered = self.gather(data, name)
        return _first(gathered, self.remainder) if self.remainder else gathered

    def reduce(self, tensor: torch.Tensor, reduction: str = "sum") -> torch.Tensor:
        """Return the sum, or the mean, over the ranks."""
        given = _tensor(tensor, "reduce").detach().clone()
        if self.num_processes == 1:
            return given
        total = self.meet("reduce", given)
        return total / self.num_processes if reduction == "mean" else total

    def wait_for_everyone(self) -> None:
        """Return when all ranks have come here."""
        if self.num_processes > 1:
            self.meet("wait_for_everyone")

    def print(self, *values: Any, **options: Any) -> None:
        """Print on the main process."""
        if self.is_main_process:
            print(*values, **options)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no `{name}` here: the stand-in for an accelerator has {KNOWN}")


class Together(NamedTuple):
    """What came of the calls: the values of the ranks, or where each of them stands."""

    ranks: list[Rank]
    values: list[Any]
    standing: str = ""  # where each stands when some wait for others in vain

    @property
    def waiting(self) -> list[str]:
        """The collective in which each rank waits, or "" for one that has returned."""
        return [rank.waits_in for rank in self.ranks]


class OnRanks:
    """An answer to be called once for each rank: `arguments(rank)` makes the arguments."""

    def __init__(self, answer: Callable) -> None:
        self.answer = answer
        # What the check's core looks at, to recognise a stub and to name a line.
        self.__code__ = getattr(answer, "__code__", None)
        self.__name__ = getattr(answer, "__name__", "")
        self.__doc__ = answer.__doc__

    def __call__(self, arguments: Callable[[Rank], tuple], processes: int) -> Together:
        """Call the answer on all ranks until they have returned, or wait in vain."""
        known: list[Any] = []
        with Path(os.devnull).open("w") as nowhere:
            while True:
                # What it prints is kept from the last round, in which it gets furthest.
                with redirect_stdout(nowhere):
                    found = self._round(arguments, processes, known)
                if found.standing or not any(found.waiting):
                    break
                known.append(_met(found.waiting[0], [rank.given for rank in found.ranks]))
        return self._round(arguments, processes, known)

    def _round(self, arguments: Callable, processes: int, known: list) -> Together:
        ranks = [Rank(index, processes, known) for index in range(processes)]
        values, places = [], []
        for rank in ranks:
            torch.manual_seed(SEED)
            value, place = None, "has returned"
            try:
                value = self.answer(*arguments(rank))
            except _Left as left:
                place = f"in {rank.waits_in}{self._line(left)}"
            values.append(value)
            places.append(f"rank {rank.process_index} {place}")
        alike = {(rank.waits_in, getattr(rank.given, "shape", None)) for rank in ranks}
        return Together(ranks, values, ", ".join(places) if len(alike) > 1 else "")

    def _line(self, left: _Left) -> str:
        file = getattr(self.__code__, "co_filename", None)
        frames = walk_tb(left.__traceback__)
        lines = [line for frame, line in frames if frame.f_code.co_filename == file]
        return f" (line {lines[-1]})" if lines else ""


def _tensor(data: Any, name: str) -> torch.Tensor:
    if not isinstance(data, torch.Tensor):
        raise TypeError(f"`{name}` takes tensors, and not {type(data).__name__}")
    return data


def _first(data: Any, count: int) -> Any:
    """Return the first rows of each tensor; a tensor without rows as it is."""
    if isinstance(data, tuple) or (isinstance(data, list) and isinstance(data[0], torch.Tensor)):
        return type(data)(_first(each, count) for each in data)
    if isinstance(data, dict):
        return {key: _first(each, count) for key, each in data.items()}
    return data if isinstance(data, torch.Tensor) and not data.shape else data[:count]


def _met(name: str, given: list[Any]) -> Any:
    """Return what a collective gives to all ranks, from what each of them gave."""
    if isinstance(given[0], list):
        return [each for one in given for each in one]
    if name == "reduce":
        return torch.stack(given).sum(dim=0)
    return torch.cat(given) if isinstance(given[0], torch.Tensor) else None
