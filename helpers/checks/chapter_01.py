"""The checks of chapter 1's exercises."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from torch.optim.lr_scheduler import LinearLR

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import parts


def what_prepare_returns(answer: Callable) -> None:
    """Check exercise 1.1: the class of each object that `prepare` gives back."""
    cases: list[Case] = [
        ("model, optimizer, loader and scheduler", _four),
        ("another model, and a loader that one process reads for all", partial(_four, True)),
    ]
    compare("1.1", answer, _what_prepare_returns, cases, _cause_of_1_1)


def _four(dispatched: bool = False) -> tuple:
    configuration = DataLoaderConfiguration(dispatch_batches=dispatched)
    accelerator, model, optimizer, loader = parts(4, 2, dataloader_config=configuration)
    scheduler = LinearLR(optimizer, total_iters=2)
    if dispatched:
        model = torch.nn.Sequential(model)
    return accelerator, model, optimizer, loader, scheduler


@reference
def _what_prepare_returns(accelerator: Accelerator, *objects: Any) -> list[str]:
    return [type(prepared).__name__ for prepared in accelerator.prepare(*objects)]


def _cause_of_1_1(arguments: tuple, expected: list[str], got: Any) -> str:
    if got is None:
        return "Your function returns nothing. Is there a `return` in front of the result?"
    if same(got, [type(given).__name__ for given in arguments[1:]]):
        return "These are the classes of what you put in. Look at what `prepare` returns."
    if same(got, [expected[0], expected[1], "DataLoader", expected[3]]):
        return "`__class__` may pretend, and Accelerate's loaders do. `type(...)` tells the truth."
    if isinstance(got, list | tuple) and len(got) == len(expected):
        if all(isinstance(item, type) for item in got):
            return "These are the classes themselves. Their names are wanted: `.__name__`."
        if all(isinstance(item, str) for item in got):
            if sorted(got) == sorted(expected):
                return "The names are right, their order is not: `prepare` keeps the order given."
            if all(item.split(".")[-1].rstrip("'>") == name for item, name in zip(got, expected)):  # noqa: B905
                return "The name alone is wanted, without its module: `type(…).__name__`."
            return "Do not write names down: ask each returned object for its type."
    return "Wanted is a list of four names, in the order of the arguments."


def mean_losses(answer: Callable) -> None:
    """Check exercise 1.2: the mean loss of each epoch, weighted by samples."""
    cases: list[Case] = [
        ("one epoch of one batch", lambda: (*parts(4, 4), 1)),
        ("one epoch of two equal batches", lambda: (*parts(8, 4), 1)),
        ("three epochs of two equal batches", lambda: (*parts(8, 4), 3)),
        ("three epochs with a last batch of one", lambda: (*parts(9, 4), 3)),
        ("no epoch", lambda: (*parts(4, 4), 0)),
    ]
    compare("1.2", answer, _mean_losses, cases, _cause_of_1_2)


@reference
def _mean_losses(accelerator, model, optimizer, loader, epochs: int) -> list[float]:
    losses, sizes = _epochs(accelerator, model, optimizer, loader, epochs)
    return [_weighted(*epoch) for epoch in zip(losses, sizes, strict=True)]


def _epochs(
    accelerator, model, optimizer, loader, epochs: int, zero: bool = True, update: bool = True
) -> tuple[list[list[float]], list[list[int]]]:
    """Return the losses and the sizes of the batches of each epoch, with a mistake if asked."""
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses, sizes = [], []
    for _ in range(epochs):
        losses.append([])
        sizes.append([])
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            if update:
                optimizer.step()
            if zero:
                optimizer.zero_grad()
            losses[-1].append(loss.item())
            sizes[-1].append(len(batch["labels"]))
    return losses, sizes


def _weighted(losses: list[float], sizes: list[int]) -> float:
    return sum(loss * size for loss, size in zip(losses, sizes, strict=True)) / sum(sizes)


def _cause_of_1_2(arguments: tuple, expected: list[float], got: Any) -> str:
    if got is None:
        return "Your function returns nothing. Is there a `return` in front of the result?"
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        return f"Wanted is a list with one number an epoch, here {len(expected)}."
    _, model, optimizer, _, _ = arguments
    before = {name: values.clone() for name, values in model.state_dict().items()}

    def again(**mistake: bool) -> tuple:
        model.load_state_dict(before)
        optimizer.zero_grad()
        return _epochs(*arguments, **mistake)

    losses, sizes = again()
    epochs = list(zip(losses, sizes, strict=True))
    if same(got, [sum(batches) / len(batches) for batches in losses]):
        return "That is the mean of the batches' means: the last, short batch counts too much."
    if same(got, [batches[-1] for batches in losses]):
        return "That is the loss of each epoch's last batch."
    if same(got, [sum(batches) for batches in losses]):
        return "That is a sum over batches. Divide, and weight each batch by its samples."
    undivided = [_weighted(*epoch) * sum(epoch[1]) for epoch in epochs]
    per_batch = [total / len(epoch[1]) for total, epoch in zip(undivided, epochs, strict=True)]
    if same(got, undivided) or same(got, per_batch):
        return "You weight by samples. Divide by the number of samples too, not of batches."
    if same(got, [sum(undivided[: n + 1]) / sum(sizes[n]) for n in range(len(undivided))]):
        return "The total goes on growing from epoch to epoch. Start it anew in each."
    seen = [sum(undivided[: n + 1]) / sum(map(sum, sizes[: n + 1])) for n in range(len(undivided))]
    if same(got, seen):
        return "That is the mean since the first epoch. Start both sums anew in each epoch."
    for mistake, sentence in (
        (
            {"zero": False},
            "The gradients of earlier batches are still there: where is `zero_grad`?",
        ),
        ({"update": False}, "The weights never change: where is `optimizer.step()`?"),
    ):
        losses, sizes = again(**mistake)
        wrong = list(map(_weighted, losses, sizes))
        if same(got, wrong) or same(got, [sum(batches) / len(batches) for batches in losses]):
            return sentence
    return (
        "The order in each batch: forward, `accelerator.backward`, `step`, `zero_grad`. Record "
        "the loss that `backward` got, times the number of samples in the batch."
    )


def repaired(answer: Callable) -> None:
    """Check exercise 1.3: a loop with two faults that a CPU run does not show."""
    cases: list[Case] = [
        ("one batch", lambda: parts(4, 4)),
        ("three batches", lambda: parts(10, 4)),
        ("an accelerator with a window", lambda: parts(12, 4, gradient_accumulation_steps=2)),
    ]
    compare("1.3", answer, _repaired, cases, _cause_of_1_3, _what_was_asked)


@reference
def _repaired(accelerator, model, optimizer, loader) -> list[float]:
    losses, _ = _epochs(accelerator, model, optimizer, loader, 1)
    return losses[0]


def _what_was_asked(arguments: tuple, value: Any) -> dict[str, Any]:
    accelerator = arguments[0]
    return {
        "calls of accelerator.backward": accelerator.calls["backward"],
        "optimizers prepared": accelerator.calls["optimizers"],
        "loaders prepared": accelerator.calls["loaders"],
        "losses": value,
    }


def _cause_of_1_3(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    if not got["calls of accelerator.backward"]:
        return (
            "The backward pass is not Accelerate's: it divides by no window and applies no loss "
            "scale. Write `accelerator.backward(loss)`."
        )
    if not got["optimizers prepared"]:
        return "The optimizer does not know of windows and loss scales. Give it to `prepare` too."
    if not got["loaders prepared"]:
        return "The loader was prepared in the loop you were given. Keep that."
    if got["losses"] is None:
        return "Your function returns nothing. Is there a `return` in front of the result?"
    if got["calls of accelerator.backward"] != expected["calls of accelerator.backward"]:
        return "One call of `accelerator.backward` a batch is wanted."
    losses, right = got["losses"], expected["losses"]
    if isinstance(losses, list) and len(losses) == len(right) and same(losses[0], right[0]):
        return "The first loss is right and a later one is not: look at `step` and `zero_grad`."
    return "Return the loss of each batch, in a list, as the given loop does."
