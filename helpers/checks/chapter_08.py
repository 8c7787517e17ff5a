"""The checks of chapter 8's exercises."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import torch
from accelerate import Accelerator, DataLoaderConfiguration, skip_first_batches
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"

# Entries of what is compared, as messages name them.
CALLS = "calls of work"
END = "place at the end"


def _named(mistakes: Sequence[tuple[Any, str]], got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def _wrong_entry(expected: dict[str, Any], got: dict[str, Any]) -> str:
    return next(name for name in expected if not same(got.get(name), expected[name]))


COUNTS_UPDATES = (
    "That counts updates. Each of them took `window` micro-batches, or an epoch's rest."
)
OF_THE_RUN = "The second number counts from the beginning of the run. It belongs to the epoch."


def position(answer: Callable) -> None:
    """Check exercise 8.1: epoch and micro-batches done, from the number of updates."""
    settings = [
        ("no update, eight micro-batches, window 4", (0, 8, 4)),
        ("one update, eight micro-batches, window 4", (1, 8, 4)),
        ("two updates, eight micro-batches, window 4", (2, 8, 4)),
        ("five updates, eight micro-batches, window 4", (5, 8, 4)),
        ("one update, six micro-batches, window 4", (1, 6, 4)),
        ("two updates, six micro-batches, window 4", (2, 6, 4)),
        ("five updates, six micro-batches, window 4", (5, 6, 4)),
        ("seven updates, ten micro-batches, window 3", (7, 10, 3)),
        ("eight updates, five micro-batches, window 1", (8, 5, 1)),
        ("two updates, three micro-batches, window 8", (2, 3, 8)),
        ("four updates, one micro-batch, window 1", (4, 1, 1)),
    ]
    cases: list[Case] = [(described, partial(tuple, each)) for described, each in settings]
    compare("8.1", answer, _position, cases, _cause_of_8_1)


@reference
def _position(updates: int, batches: int, window: int) -> tuple[int, int]:
    epoch, since = divmod(updates, math.ceil(batches / window))
    return epoch, since * window


def _cause_of_8_1(arguments: tuple, expected: tuple[int, int], got: Any) -> str:
    updates, batches, window = arguments
    epoch, done = expected
    if got is None:
        return NOTHING
    if not isinstance(got, list | tuple) or len(got) != 2:
        return "Wanted are two numbers: the epoch, and how many of its micro-batches are done."
    full = max(1, batches // window)
    mistakes = (
        (
            (updates // full, updates % full * window),
            "Rounded down: the short window at the end of an epoch makes an update too.",
        ),
        (
            divmod(updates * window, batches),
            "Here a window goes on over the end of an epoch. It ends there, however short it is.",
        ),
        (
            (epoch - 1, batches),
            "The epoch is over. The run stands at the beginning of the next one.",
        ),
        ((epoch + 1, done), "Epochs are counted from 0: how many are over?"),
        ((done, epoch), "The two numbers are in the wrong order: first the epoch."),
        (divmod(updates, batches), COUNTS_UPDATES),
        ((epoch, done // window), COUNTS_UPDATES),
        ((epoch, done - 1), "That is the index of the last one. How many are done?"),
        ((epoch, epoch * batches + done), OF_THE_RUN),
        ((epoch, updates * window), OF_THE_RUN),
    )
    return _named(mistakes, got) or "How many updates has an epoch, its short window included?"


def rest_of_run(answer: Callable) -> None:
    """Check exercise 8.2: the batches that are left, in the order of the uninterrupted run."""
    cases: list[Case] = [
        ("one epoch of one batch, from the beginning", lambda: _stopped(2, 0, 0, 1)),
        ("four batches, four epochs, stopped at epoch 1, batch 3", lambda: _stopped(8, 1, 3, 4)),
        ("four batches, three epochs, stopped at epoch 0, batch 1", lambda: _stopped(8, 0, 1, 3)),
        ("four batches, two epochs, from the beginning", lambda: _stopped(8, 0, 0, 2)),
        ("a last batch of one sample, the only one left", lambda: _stopped(7, 2, 3, 3)),
        ("four batches, four epochs, stopped at epoch 2, batch 0", lambda: _stopped(8, 2, 0, 4)),
        ("four batches, three epochs, stopped at epoch 0, batch 4", lambda: _stopped(8, 0, 4, 3)),
        ("nothing left of two epochs", lambda: _stopped(8, 2, 0, 2)),
    ]
    compare("8.2", answer, _rest_of_run, cases, _cause_of_8_2, _worked)


class Work:
    """Called with a batch, notes its numbers and the place."""

    def __init__(self, place: SimpleNamespace) -> None:
        self.place = place
        self.calls: list[tuple[Any, list]] = []

    def __call__(self, batch: torch.Tensor) -> None:
        """Note what was asked for, and when."""
        self.calls.append((batch.tolist(), _stands(self.place)))


def _stands(place: SimpleNamespace) -> list[int]:
    return [place.epoch, place.batch]


def _stopped(samples: int, epoch: int, batch: int, epochs: int) -> tuple:
    """Return a loader in batches of two, the place where a run stopped, and what is called."""
    order = DataLoaderConfiguration(use_seedable_sampler=True, data_seed=3)
    accelerator = Accelerator(cpu=True, dataloader_config=order)
    loader = accelerator.prepare(DataLoader(torch.arange(samples), 2, shuffle=True))
    place = SimpleNamespace(epoch=epoch, batch=batch)
    return loader, place, epochs, Work(place)


@reference
def _rest_of_run(loader, place, epochs: int, work: Callable) -> None:
    _go_on(loader, place, epochs, work)


def _go_on(
    loader, place, epochs: int, work: Callable, fault: str = "", plain: bool = False
) -> None:
    """Do the rest of a run, or make the mistake that `fault` names.

    With `plain`, an epoch of which nothing is skipped takes the loader as it is.
    """
    start, done = place.epoch, place.batch
    if fault == "named once":
        loader.set_epoch(start)
    first = 0 if fault.startswith("from epoch 0") else start
    last = {"epochs more": start + epochs, "one epoch": min(start + 1, epochs)}.get(fault, epochs)
    for epoch in range(first, last):
        skipped = {
            "skips always": done,
            "skips never": 0,
            "from epoch 0, skips at its start": done if epoch == 0 else 0,
            "one too many": done + 1 if epoch == start else 0,
            "one too few": max(0, done - 1) if epoch == start else 0,
        }.get(fault, done if epoch == start else 0)
        if fault not in ("unnamed", "named once", "named late", "made before it is named"):
            loader.set_epoch(epoch + (fault == "numbered from 1"))
        rest = loader if plain and not skipped else skip_first_batches(loader, skipped)
        if fault == "made before it is named":
            loader.set_epoch(epoch)
        place.epoch, place.batch = epoch, skipped
        for batch in rest:
            work(batch)
            place.batch += 1
        if fault == "named late":
            loader.set_epoch(epoch)
        place.epoch, place.batch = epoch + 1, 0


AGAIN = "Epochs that are over are gone through again: begin with `place.epoch`."
LATE = (
    "`set_epoch` comes too late. The order is made when an epoch begins, and what "
    "`skip_first_batches` returns keeps the one that it found: name the epoch before both."
)
FAULTS = (
    (
        "skips always",
        "Every epoch loses its beginning. Batches are left out in the epoch in which the run "
        "stopped, and in no later one.",
    ),
    (
        "skips never",
        "The epoch in which the run stopped begins again from its first batch. Is `place.batch` "
        "used in that epoch, whichever it is?",
    ),
    ("from epoch 0", AGAIN),
    ("from epoch 0, skips at its start", AGAIN),
    ("epochs more", "`epochs` is the number of epochs of the whole run, and not of its rest."),
    (
        "one epoch",
        "Nothing comes after the first epoch. Either your loop ends there, or `place.batch` is not "
        "0 again, and the next epoch is skipped.",
    ),
    ("one too many", "One batch is skipped that was not done. `place.batch` is a number of them."),
    ("one too few", "The last batch before the stop is done twice. Skip `place.batch` of them."),
    (
        "unnamed",
        "The loader is new, and takes its first epoch for epoch 0: tell it with `set_epoch`.",
    ),
    ("named late", LATE),
    ("made before it is named", LATE),
    (
        "named once",
        "`set_epoch` stands in front of the loop. Each epoch has to be named before it begins.",
    ),
    (
        "numbered from 1",
        "`set_epoch` gets another number than the uninterrupted run gave it: count from 0.",
    ),
)


def _worked(arguments: tuple, _: Any) -> dict[str, Any]:
    _, place, _, work = arguments
    found: dict[str, Any] = {CALLS: len(work.calls)}
    for number, (numbers, stood) in enumerate(work.calls, start=1):
        found[f"batch {number}"] = numbers
        found[f"place at batch {number}"] = stood
    return {**found, END: _stands(place)}


def _cause_of_8_2(arguments: tuple, expected: dict[str, Any], got: dict[str, Any]) -> str:
    loader, place, _, _ = arguments
    wrong = _wrong_entry(expected, got)
    if not wrong.startswith("place"):
        return _cause_of_batches(arguments, got)
    begun = [place.epoch, place.batch]
    return _cause_of_place(wrong, begun, len(loader), expected[wrong], got[wrong])


def _batches(found: dict[str, Any]) -> list:
    return [numbers for entry, numbers in found.items() if entry.startswith("batch")]


def _cause_of_batches(arguments: tuple, got: dict[str, Any]) -> str:
    loader, place, epochs, _ = arguments
    if not got[CALLS]:
        return "`work` was never called. Call it with each batch that is left."
    begun = _stands(place)
    for (fault, sentence), plain in product(FAULTS, (False, True)):
        place.epoch, place.batch = begun
        loader.set_epoch(0)
        work = Work(place)
        _go_on(loader, place, epochs, work, fault, plain)
        if same(_batches(got), [numbers for numbers, _ in work.calls]):
            return sentence
    return "In each epoch: name it, leave out what is done of it, and call `work` with the rest."


def _cause_of_place(
    entry: str, begun: list[int], length: int, expected: list[int], got: list[int]
) -> str:
    if entry == END:
        return (
            "After its last batch an epoch is over, and the place is the next one's beginning. "
            "Whoever resumes from there has nothing left to do."
        )
    (epoch, batch), (other_epoch, other_batch) = expected, got
    if other_epoch != epoch:
        return "`place.epoch` has to be the number of the epoch that is under way."
    if other_batch == batch + 1:
        return "This batch counts as done before `work` has done it. Count it after the call."
    if epoch == begun[0] and other_batch == batch - begun[1]:
        return (
            "You count from 0 after the resume. A checkpoint made here would lie, and the next "
            "resume would do batches twice."
        )
    if epoch != begun[0] and batch == 0:
        return "`place.batch` belongs to the epoch: a new one begins at 0."
    return "`place.batch` has to grow by one with each batch that `work` has done."
