"""The checks of chapter 3's exercises."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.state import GradientState
from accelerate.utils import GradientAccumulationPlugin
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import Recording

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"
UPSIDE_DOWN = str.maketrans("01", "10")

# Entries of what is compared, as messages name them.
WINDOW = "window of the accelerator"
SYNCED = "sync_gradients at the backward passes"
GRADIENTS = "gradients at the updates"
RATES = "learning rates at the updates"
LAST_RATE = "learning rate at the end"

Pattern = list[str]  # a string an epoch: `1` for a micro-batch with an update, `0` for another
Windows = list[list[tuple[float, int]]]  # of each micro-batch, mean and number of samples


class OneWeight(torch.nn.Module):
    """Called with numbers, gives the mean of weight times number: the gradient is their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))
        self.synced = ""  # `sync_gradients` at each backward pass
        self.weight.register_hook(self._note)

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return the loss of a micro-batch, a mean over its samples."""
        return (self.weight * numbers).mean()

    def _note(self, _: torch.Tensor) -> None:
        self.synced += str(int(GradientState().sync_gradients))


def _objects(samples: int, batch_size: int = 1) -> tuple:
    """Return model, optimizer and a loader that gives 1, 2, 3, …: none of them prepared."""
    model = OneWeight()
    numbers = torch.arange(1.0, samples + 1)
    return model, Recording(model.parameters(), lr=1.0), DataLoader(numbers, batch_size)


def _windows(loader: DataLoader, window: int) -> Windows:
    batches = [(float(batch.mean()), len(batch)) for batch in loader]
    return [batches[start : start + window] for start in range(0, len(batches), window)]


def _arrived(optimizer: Recording) -> list[float]:
    """Return the one gradient at each update; 0 where it was cleared before."""
    return [float(sum(numbers)) for numbers in optimizer.gradients]


def _named(mistakes: Sequence[tuple[Any, str]], got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def _cause_of_pattern(expected: str, got: str) -> str:
    """Name why `sync_gradients` was another one at the backward passes."""
    if len(got) < len(expected):
        return "There are fewer backward passes than micro-batches. Does your loop end early?"
    mistakes = (
        (
            "1" * len(expected),
            "Nothing counts your micro-batches. Is the backward pass inside "
            "`with accelerator.accumulate(model):`?",
        ),
        ("1" + expected[:-1], "The backward pass comes before the block that it belongs into."),
        (
            expected[:-1] + "0",
            "The end of the loader goes unseen, and the tail is not applied. Accelerate looks for "
            "it in the loader that `prepare` returns; a list of its batches has no end to see.",
        ),
    )
    return _named(mistakes, got) or "One block of `accumulate` and one backward pass a micro-batch."


def with_accumulate(answer: Callable) -> None:
    """Check exercise 3.1: chapter 2's loop, with Accelerate counting."""
    cases: list[Case] = [
        ("one micro-batch, window 1", lambda: _scheduled(1, 1, 1)),
        ("four micro-batches, window 4", lambda: _scheduled(4, 1, 4)),
        ("eight micro-batches, window 4", lambda: _scheduled(8, 1, 4)),
        ("six micro-batches, window 4", lambda: _scheduled(6, 1, 4)),
        ("nine samples in micro-batches of two, window 2", lambda: _scheduled(9, 2, 2)),
        ("three micro-batches, window 8", lambda: _scheduled(3, 1, 8)),
        ("no micro-batch", lambda: _scheduled(0, 1, 4)),
    ]
    compare("3.1", answer, _with_accumulate, cases, _cause_of_3_1, _training)


def _scheduled(samples: int, batch_size: int, window: int) -> tuple:
    """Return objects with a schedule that halves the rate at each of its steps."""
    model, optimizer, loader = _objects(samples, batch_size)
    return model, optimizer, LambdaLR(optimizer, lambda steps: 0.5**steps), loader, window


@reference
def _with_accumulate(model, optimizer, scheduler, loader, window: int) -> list[float]:
    accelerator = Accelerator(gradient_accumulation_steps=window)
    losses, _ = _loop(accelerator, model, optimizer, loader, scheduler)
    return losses


def _loop(
    accelerator: Accelerator, model, optimizer, loader, scheduler=None, epochs: int = 1
) -> tuple[list[float], Pattern]:
    """Return the losses, and the pattern of updates."""
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = accelerator.prepare(scheduler) if scheduler else None
    losses, pattern = [], []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                loss = model(batch)
                accelerator.backward(loss)
                optimizer.step()
                if scheduler:
                    scheduler.step()
                optimizer.zero_grad()
            losses.append(loss.item())
            pattern[-1] += str(int(accelerator.sync_gradients))
    return losses, pattern


def _training(arguments: tuple, value: Any) -> dict[str, Any]:
    model, optimizer, _, _, _ = arguments
    return {
        WINDOW: GradientState().num_steps,
        SYNCED: model.synced,
        GRADIENTS: _arrived(optimizer),
        RATES: optimizer.rates,
        LAST_RATE: optimizer.param_groups[0]["lr"],
        "losses": value,
    }


def _cause_of_3_1(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    _, _, _, loader, window = arguments
    windows = _windows(loader, window)
    wrong = next(entry for entry in expected if not same(got[entry], expected[entry]))
    if wrong == WINDOW:
        return "Who counts here? Give the window to the accelerator: `gradient_accumulation_steps`."
    if wrong == SYNCED:
        return _cause_of_pattern(expected[wrong], got[wrong])
    if wrong == GRADIENTS:
        return _cause_of_gradients(windows, window, got[wrong])
    if wrong == "losses":
        return _cause_of_losses(expected[wrong], window, got[wrong])
    return _cause_of_rates(windows, got[RATES])


def _cause_of_gradients(windows: Windows, window: int, got: list[float]) -> str:
    sums = [sum(mean for mean, _ in each) for each in windows]
    means = [mean for each in windows for mean, _ in each]
    mistakes = (
        (
            [total / window**2 for total in sums],
            "Divided twice: `accelerator.backward` divides by the window already.",
        ),
        (sums, "Not divided by the window. `accelerator.backward(loss)` does it for you."),
        (
            [each[-1][0] / window for each in windows],
            "Only the last micro-batch is left. `zero_grad` stands before the backward pass, and "
            "acts when `sync_gradients` is true: at the last micro-batch of a window.",
        ),
        (
            [mean / window for mean in means],
            "There is an update at each micro-batch: this optimizer does not know of windows. Is "
            "it the one that `prepare` returned?",
        ),
        (
            list(accumulate(total / window for total in sums)),
            "The gradients of earlier windows are still there: where is `zero_grad`?",
        ),
        ([0.0] * len(windows), "Nothing is left to apply: `zero_grad` comes after `step`."),
        ([], "No update was made: where is `optimizer.step()`?"),
        (
            [sum(mean for mean, _ in each) / len(each) for each in windows],
            "You repair the tail. `by_hand` divides it by the window, and so does Accelerate; "
            "the repair is exercise 3.3.",
        ),
    )
    return _named(mistakes, got) or (
        "The order inside the block: forward, `accelerator.backward`, `step`, `zero_grad`."
    )


def _cause_of_rates(windows: Windows, got: list[float]) -> str:
    ends = list(accumulate(map(len, windows)))
    each = (
        "The schedule takes a step at each micro-batch. The scheduler that `prepare` returns "
        "waits for the update."
    )
    mistakes = (
        (
            [0.5**update for update in range(1, len(ends) + 1)],
            "The schedule is one step ahead: `scheduler.step()` comes after `optimizer.step()`.",
        ),
        ([0.5 ** (end - 1) for end in ends], each),
        ([0.5**end for end in ends], each),
        ([1.0] * len(ends), "The rate stays as it is from update to update: step the scheduler."),
        (
            [0.5**update for update in range(len(ends))],
            "The rates of the updates are right. The last update takes a step of the schedule too, "
            "and only one.",
        ),
    )
    return _named(mistakes, got) or "One step of the schedule an update, right after it."


def _cause_of_losses(expected: list[float], window: int, got: Any) -> str:
    if got is None:
        return NOTHING
    if same(got, [loss / window for loss in expected]):
        return "These are divided losses. Return the loss as the model gave it."
    return "Return the loss of each micro-batch, in a list, as `by_hand` does."


def run_plan(answer: Callable) -> None:
    """Check exercise 3.2: effective batch, updates, length and warm-up of a schedule."""
    plans = [
        ("one batch, one process", (1, 4, 1, 1, 1, 0)),
        ("eight batches, window 4, four epochs", (8, 4, 4, 1, 4, 2)),
        ("six batches, window 4, three epochs", (6, 4, 4, 1, 3, 1)),
        ("twelve batches, window 3, two processes, two epochs", (12, 4, 3, 2, 2, 1)),
        ("25 batches, window 1, three processes, one epoch", (25, 4, 1, 3, 1, 1)),
        ("25 batches, window 4, three processes, two epochs", (25, 4, 4, 3, 2, 2)),
        ("three batches, window 8, two processes, five epochs", (3, 2, 8, 2, 5, 2)),
        ("one batch, four processes", (1, 1, 2, 4, 1, 1)),
        ("no epoch", (5, 2, 2, 1, 0, 0)),
    ]
    cases: list[Case] = [(described, partial(tuple, plan)) for described, plan in plans]
    compare("3.2", answer, _run_plan, cases, _cause_of_3_2)


@reference
def _run_plan(batches, per_device, window, processes, epochs, warmup_updates) -> dict[str, int]:
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


def _cause_of_3_2(arguments: tuple, expected: dict[str, int], got: Any) -> str:
    batches, per_device, window, processes, epochs, warmup_updates = arguments
    if got is None:
        return NOTHING
    if not isinstance(got, dict) or got.keys() != expected.keys():
        return f"Wanted is a dictionary with {', '.join(map(repr, expected))}, a number each."
    share, updates = math.ceil(batches / processes), expected["updates"]
    each_time = "Times the processes: the prepared scheduler steps once for each at an update."
    micro_batches = "That counts micro-batches. The prepared scheduler counts updates."
    before = "The loader gets shorter: each process goes through its share of the batches."
    mistakes = {
        "effective_batch": (
            (per_device * window, "That is the share of one process."),
            (per_device * processes, "An update waits for the whole window."),
            (per_device, "That is one micro-batch on one process."),
        ),
        "updates": (
            (share // window * epochs, "Rounded down: the tail of an epoch is an update too."),
            (
                math.ceil(share * epochs / window),
                "Each epoch closes its last window, so round up in each epoch.",
            ),
            (share * epochs, "These are micro-batches. How many of them make an update?"),
            (math.ceil(batches / window) * epochs, before),
            (batches // window * epochs, before),
            (
                math.ceil(batches // processes / window) * epochs,
                "When batches do not divide evenly, each process gets the larger share: round up.",
            ),
        ),
        "length": (
            (updates, each_time),
            (
                math.ceil(batches / window) * epochs,
                "That is updates times processes only where all divides evenly.",
            ),
            (epochs * share, micro_batches),
            (epochs * batches, micro_batches),
        ),
        "warmup": (
            (warmup_updates, f"It has the unit of the length. {each_time}"),
            (warmup_updates * window, micro_batches),
            (warmup_updates * window * processes, micro_batches),
        ),
    }
    hints = {
        "effective_batch": "How many samples are behind one update, on all processes together?",
        "updates": "Batches of one process, then windows in an epoch, then epochs; round up twice.",
        "length": "Updates, times what the prepared scheduler does at each of them.",
        "warmup": "The warm-up has the unit of the length.",
    }
    wrong = next(entry for entry in expected if not same(got[entry], expected[entry]))
    return _named(mistakes[wrong], got[wrong]) or hints[wrong]


def fair_updates(answer: Callable) -> None:
    """Check exercise 3.3: each update gets the mean over the samples of its window."""
    cases: list[Case] = [
        ("one micro-batch, window 1", lambda: _accumulating(1, 1, 1)),
        ("four micro-batches, window 4", lambda: _accumulating(4, 1, 4)),
        ("six micro-batches, window 4", lambda: _accumulating(6, 1, 4)),
        ("three micro-batches, window 8", lambda: _accumulating(3, 1, 8)),
        ("13 samples in micro-batches of two, window 4", lambda: _accumulating(13, 2, 4)),
        ("seven samples in micro-batches of two, window 4", lambda: _accumulating(7, 2, 4)),
        ("eleven samples in micro-batches of four, window 2", lambda: _accumulating(11, 4, 2)),
        ("no micro-batch", lambda: _accumulating(0, 1, 4)),
    ]
    compare("3.3", answer, _fair_updates, cases, _cause_of_3_3, _fairness)


def _accumulating(samples: int, batch_size: int, window: int) -> tuple:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=window)
    return (accelerator, *_objects(samples, batch_size))


@reference
def _fair_updates(accelerator, model, optimizer, loader) -> None:
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window, samples = accelerator.gradient_accumulation_steps, 0
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * len(batch))
            samples += len(batch)
            if accelerator.sync_gradients:
                model.weight.grad *= window / samples
                samples = 0
            optimizer.step()
            optimizer.zero_grad()


def _fairness(arguments: tuple, _: Any) -> dict[str, Any]:
    _, model, optimizer, _ = arguments
    return {
        SYNCED: model.synced,
        GRADIENTS: _arrived(optimizer),
    }


def _cause_of_3_3(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    accelerator, _, _, loader = arguments
    window = accelerator.gradient_accumulation_steps
    if got[SYNCED] != expected[SYNCED]:
        return _cause_of_pattern(expected[SYNCED], got[SYNCED])
    windows = _windows(loader, window)
    gradients = got[GRADIENTS]
    return _unfair(windows, window, gradients) or _cause_of_gradients(windows, window, gradients)


def _unfair(windows: Windows, window: int, got: list[float]) -> str:
    plain = [sum(mean for mean, _ in each) / window for each in windows]
    weighted = [sum(mean * size for mean, size in each) for each in windows]
    sizes = [sum(size for _, size in each) for each in windows]
    lengths = list(map(len, windows))
    largest = max((size for each in windows for _, size in each), default=1)

    def over(totals: list[float], by: list[float]) -> list[float]:
        return [total / each for total, each in zip(totals, by, strict=True)]

    mistakes = (
        (
            plain,
            "Each window is divided by the configured window, however few micro-batches or "
            "samples it holds.",
        ),
        (
            over([gradient * window for gradient in plain], lengths),
            "Each micro-batch counts the same here, and the last one holds fewer samples. Weight "
            "each loss by its samples.",
        ),
        (
            over(weighted, [size * window for size in sizes]),
            "Right, but for one factor: `accelerator.backward` has divided by the window. "
            "Multiply by it.",
        ),
        (
            [gradient * length / window for gradient, length in zip(plain, lengths, strict=True)],
            "The factor is upside down: a tail of half a window has to be doubled.",
        ),
        (
            [gradient * window / length for gradient in plain for length in lengths[-1:]],
            "The tail's factor is applied to every window.",
        ),
        (
            over(weighted, [length * largest for length in lengths]),
            "Not every micro-batch is full: count the samples that came.",
        ),
        (
            over(weighted, list(accumulate(sizes))),
            "The number of samples goes on growing. Start it anew after each update.",
        ),
        (weighted, "A sum over the samples, and a mean is wanted: divide by their number."),
        (
            [total / window for total in weighted],
            "The losses are weighted by samples. Divide by the samples of the window as well.",
        ),
        (
            _off_by_one(windows, window),
            "The tail begins one micro-batch too early: count micro-batches from 0 here.",
        ),
    )
    return _named(mistakes, got)


def _off_by_one(windows: Windows, window: int) -> list[float]:
    """Return what comes of a factor whose windows are counted from 1 by mistake."""
    batches, gradients, count = sum(map(len, windows)), [], 0
    for each in windows:
        gradients.append(0.0)
        for mean, _ in each:
            count += 1
            held = min(window, batches - count // window * window) or math.nan
            gradients[-1] += mean / held
    return gradients


def predicted_updates(answer: Callable) -> None:
    """Check exercise 3.4: where windows that span epochs are closed."""
    settings = [
        ("one micro-batch, window 1, one epoch", (1, 1, 1)),
        ("eight micro-batches, window 4, two epochs", (8, 4, 2)),
        ("six micro-batches, window 4, two epochs", (6, 4, 2)),
        ("seven micro-batches, window 3, three epochs", (7, 3, 3)),
        ("three micro-batches, window 8, three epochs", (3, 8, 3)),
        ("five micro-batches, window 1, two epochs", (5, 1, 2)),
        ("no micro-batch, two epochs", (0, 4, 2)),
        ("no epoch", (6, 4, 0)),
    ]
    cases: list[Case] = [(described, partial(tuple, each)) for described, each in settings]
    compare("3.4", answer, _predicted_updates, cases, _cause_of_3_4)


@reference
def _predicted_updates(micro_batches: int, window: int, epochs: int) -> Pattern:
    return _pattern(micro_batches, window, epochs)


def _pattern(
    micro_batches: int,
    window: int,
    epochs: int,
    first: int = 1,
    restarts: bool = False,
    tail: bool = False,
) -> Pattern:
    """Return the pattern when counting from `first`, in each epoch anew if it restarts."""
    found = []
    for epoch in range(epochs):
        start = first + (0 if restarts else epoch * micro_batches)
        updates = [count % window == 0 for count in range(start, start + micro_batches)]
        if tail and updates:
            updates[-1] = True
        found.append("".join(str(int(update)) for update in updates))
    return found


def _cause_of_3_4(arguments: tuple, expected: Pattern, got: Any) -> str:
    return (
        _misshapen(expected, got)
        or _mistaken_pattern(arguments, got)
        or (
            "Number the micro-batches of all epochs from 1. An update comes at each multiple of "
            "the window."
        )
    )


def _misshapen(expected: Pattern, got: Any) -> str:
    """Name what keeps `got` from being a pattern, or return ""."""
    if got is None:
        return NOTHING
    if same(got, "".join(expected)) or same(got, list("".join(expected))):
        return "The pattern is right. Cut it into epochs: a list with one string for each."
    if not isinstance(got, list | tuple) or not all(isinstance(epoch, str) for epoch in got):
        return "Wanted is a list with one string an epoch, of `0` and `1`."
    if len(got) != len(expected):
        return f"Wanted is one string an epoch, here {len(expected)}."
    if any(len(epoch) != len(right) for epoch, right in zip(got, expected, strict=True)):
        return "Each string has one character a micro-batch."
    if same([epoch.translate(UPSIDE_DOWN) for epoch in got], expected):
        return "Upside down: `1` stands for an update."
    return ""


def _mistaken_pattern(setting: tuple[int, int, int], got: Any) -> str:
    """Name the usual mistakes about windows that span epochs, or return ""."""
    mistakes = (
        (
            _pattern(*setting, restarts=True, tail=True),
            "That is the default. Here the end of an epoch closes no window.",
        ),
        (
            _pattern(*setting, restarts=True),
            "The count starts anew in each epoch. With this option the window goes on.",
        ),
        (
            _pattern(*setting, tail=True),
            "The end of an epoch closes no window here, and the next one goes on counting.",
        ),
        (
            _pattern(*setting, first=0),
            "These are the first micro-batches of the windows. An update needs the last one.",
        ),
    )
    return _named(mistakes, got)


def traced_updates(answer: Callable) -> None:
    """Check exercise 3.5: the same by Accelerate, with a plugin of the learner's own."""
    cases: list[Case] = [
        ("one micro-batch, window 1, to the epoch's end", lambda: _to_trace(1, 1, 1, True)),
        ("six micro-batches, window 4, spanning two epochs", lambda: _to_trace(6, 4, 2, False)),
        ("six micro-batches, window 4, to each epoch's end", lambda: _to_trace(6, 4, 2, True)),
        ("eight micro-batches, window 4, spanning two epochs", lambda: _to_trace(8, 4, 2, False)),
        ("three micro-batches, window 8, spanning three epochs", lambda: _to_trace(3, 8, 3, False)),
        ("three micro-batches, window 8, to each epoch's end", lambda: _to_trace(3, 8, 3, True)),
    ]
    compare("3.5", answer, _traced_updates, cases, _cause_of_3_5, _traced)


def _to_trace(samples: int, window: int, epochs: int, sync_with_dataloader: bool) -> tuple:
    return (*_objects(samples), epochs, window, sync_with_dataloader)


@reference
def _traced_updates(
    model, optimizer, loader, epochs: int, window: int, sync_with_dataloader: bool
) -> Pattern:
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    _, pattern = _loop(accelerator, model, optimizer, loader, epochs=epochs)
    return pattern


def _traced(arguments: tuple, value: Any) -> dict[str, Any]:
    _, optimizer, *_ = arguments
    return {
        WINDOW: GradientState().num_steps,
        "sync_with_dataloader": GradientState().sync_with_dataloader,
        "pattern": value,
        "updates made": len(optimizer.gradients),
    }


def _cause_of_3_5(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    _, _, loader, epochs, window, sync_with_dataloader = arguments
    setting, pattern = (len(loader), window, epochs), got["pattern"]
    if got[WINDOW] == 1 != window:
        return "A window of one: that is a plugin without `num_steps`, or no accelerator at all."
    if not same(got["sync_with_dataloader"], expected["sync_with_dataloader"]):
        return "The plugin has to hear of this choice too: `sync_with_dataloader=…`."
    if not same(pattern, expected["pattern"]):
        return _misshapen(expected["pattern"], pattern) or _mistaken_trace(
            setting, sync_with_dataloader, expected["pattern"], pattern
        )
    if not got["updates made"]:
        return "That was predicted. Let the loop run, and ask `accelerator.sync_gradients`."
    return "The optimizer steps at another time than the trace says. Was it prepared?"


def _mistaken_trace(
    setting: tuple[int, int, int], closes: bool, expected: Pattern, got: Pattern
) -> str:
    steady = "".join(expected)
    seen = "".join(got)
    if seen == "1" * len(seen):
        return "True each time: there is no block of `accumulate`, so nothing counts."
    if seen == "1" + steady[:-1]:
        return "One late: you read `sync_gradients` before the block that sets it."
    if closes and same(got, _pattern(*setting)):
        return "The end of the loader goes unseen: it is not the loader that `prepare` returned."
    if not closes and same(got, _pattern(*setting, restarts=True)):
        return "The count starts anew in each epoch. One accelerator, for all epochs."
    return "Ask `accelerator.sync_gradients` once a micro-batch, inside the block or after it."
