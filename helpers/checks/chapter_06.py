"""The checks of chapter 6's exercises."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any

import torch
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import Counting, Recording

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"
OUT = -100  # the label of a place that the loss leaves out
NO_LIMIT = 1e6


def _named(mistakes: Sequence[tuple[Any, str]], got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def tokens_that_count(answer: Callable) -> None:
    """Check exercise 6.1: how many tokens a model is asked to predict."""
    batches = [
        ("one row of three tokens, not causal", [[5, 6, 7]], False),
        ("padding on the right, causal", [[4, 5, 6, 7, 8], [4, 5, 6, 7, 8], [4, *[OUT] * 4]], True),
        ("a prompt that is left out, causal", [[OUT, OUT, 7, 8, 9], [4, 5, 6, 7, OUT]], True),
        ("padding on the left, causal", [[OUT, OUT, 5, 6], [5, 6, 7, 8], [OUT, 5, 6, 7]], True),
        ("masked words, not causal", [[OUT, 6, OUT, 8], [5, OUT, OUT, OUT]], False),
        ("rows of one token, causal", [[5], [6]], True),
        ("nothing to predict, not causal", [[OUT, OUT, OUT]], False),
    ]
    cases: list[Case] = [
        (described, lambda rows=rows, causal=causal: (torch.tensor(rows), causal))
        for described, rows, causal in batches
    ]
    compare("6.1", answer, _tokens_that_count, cases, _cause_of_6_1)


@reference
def _tokens_that_count(labels: torch.Tensor, causal: bool) -> int:
    return int(((labels[:, 1:] if causal else labels) != OUT).sum())


def _cause_of_6_1(arguments: tuple, expected: int, got: Any) -> str:
    if got is None:
        return NOTHING
    labels, causal = arguments
    here = labels != OUT
    mistakes = [
        (labels.numel(), "All places are counted. The loss leaves out those with -100."),
        (int((~here).sum()), "These are the places with -100, the ones that do not count."),
    ]
    if causal:
        mistakes += [
            (
                int(here.sum()),
                "Counted before the shift. A causal model predicts from the second place on, so "
                "what stands in the first is never predicted.",
            ),
            (
                int(here.sum()) - len(labels),
                "One less for each row. That is right only where the first place of the row holds "
                "a token: look at the row that begins with -100.",
            ),
            (
                int(here[:, :-1].sum()),
                "The last column is cut off, and it is predicted. The first one is not.",
            ),
            (
                labels[:, 1:].numel(),
                "Shifted, but places with -100 are counted: the loss leaves them out.",
            ),
            (
                int(here[1:].sum()),
                "`labels[1:]` leaves out the first row. The first place of each row is "
                "`labels[:, :1]`.",
            ),
            (
                int(here.flatten()[1:].sum()),
                "One place is cut off in all. Each row has a first place of its own.",
            ),
        ]
    else:
        mistakes.append(
            (
                int(here[:, 1:].sum()),
                "Shifted, and this model does not shift: it predicts a masked word at its place.",
            )
        )
    return _named(mistakes, got) or "Count the labels at predicted places that are not -100."


def window_loss(answer: Callable) -> None:
    """Check exercise 6.2: the token mean of a window over all processes."""
    windows = [
        ("one micro-batch of one token", [[2.0]], [[1]]),
        ("two equal micro-batches", [[2.0, 3.0]], [[4, 4]]),
        ("two unequal micro-batches", [[2.0, 3.0]], [[1, 3]]),
        ("two processes, one of them with less", [[1.0, 2.0], [7.0]], [[2, 2], [3]]),
        ("two processes, all unequal", [[1.0, 2.0], [4.0, 7.0]], [[1, 3], [2, 6]]),
        ("three processes, one without a share", [[1.0, 2.0], [], [4.0]], [[1, 3], [], [2]]),
        ("a micro-batch without a token", [[math.nan, 2.0], [3.0, 5.0]], [[0, 4], [1, 2]]),
        ("a window without a token", [[math.nan], [math.nan]], [[0], [0]]),
    ]
    cases: list[Case] = [
        (described, lambda means=means, counts=counts: _copies(means, counts))
        for described, means, counts in windows
    ]
    compare("6.2", answer, _window_loss, cases, _cause_of_6_2)


def _copies(*lists: list[list]) -> tuple:
    return tuple([[*inner] for inner in outer] for outer in lists)


@reference
def _window_loss(means: list[list[float]], counts: list[list[int]]) -> float:
    pairs = _pairs(means, counts)
    total = sum(mean * count for mean, count in pairs)
    return total / sum(count for _, count in pairs) if pairs else 0.0


def _pairs(means: list[list[float]], counts: list[list[int]]) -> list[tuple[float, int]]:
    """Return mean and count of each micro-batch that holds a token."""
    flat = zip(chain(*means), chain(*counts), strict=True)
    return [(mean, count) for mean, count in flat if count]


def _cause_of_6_2(arguments: tuple, expected: float, got: Any) -> str:
    if got is None:
        return NOTHING
    means, counts = arguments
    pairs = _pairs(means, counts)
    if isinstance(got, float) and math.isnan(got):
        return (
            "The mean over no token is not a number, and 0 times it is not one either: leave a "
            "micro-batch without a token out before you multiply."
            if pairs
            else "Nothing is predicted in the whole window. The exercise asks for 0 then."
        )
    if not pairs:
        return "Nothing is predicted in the whole window. The exercise asks for 0 then."
    flat = [mean for mean, _ in pairs]
    tokens = sum(count for _, count in pairs)
    own = [_pairs([a], [b]) for a, b in zip(means, counts, strict=True)]
    of_each = [sum(m * c for m, c in rank) / sum(c for _, c in rank) for rank in own if rank]
    mistakes = (
        (
            sum(flat) / len(flat),
            "This is the mean of the means: a token among few weighs more than one among many.",
        ),
        (
            sum(of_each) / len(of_each),
            "Right within each process, and then the mean over the processes. They hold unequal "
            "numbers of tokens: add up sums and counts over all of them before you divide.",
        ),
        (
            sum(of_each) / len(means),
            "Right within each process, and then the mean over the processes. They hold unequal "
            "numbers of tokens: add up sums and counts over all of them before you divide.",
        ),
        (of_each[0], "This is the first process alone. The window is spread over all of them."),
        (
            sum(mean * count for mean, count in pairs),
            "A sum over the tokens. It is still to be divided by their number.",
        ),
        (
            sum(mean * count for mean, count in pairs) / len(flat),
            "The sum over the tokens is divided by the number of micro-batches. Divide by the "
            "number of tokens.",
        ),
        (
            sum(flat) / tokens,
            "The means are added up as they are and divided by the tokens. A mean times its count "
            "is the sum that you need.",
        ),
        (sum(flat), "These are the means, added up. What is one of them a mean over?"),
    )
    return _named(mistakes, got) or "The sum over all tokens, divided by the number of all tokens."


class TokenMean(torch.nn.Module):
    """Called with labels, gives the mean of weight times label over the predicted places."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, labels: torch.Tensor) -> torch.Tensor:
        """Return the loss; the gradient of the weight is the mean of the predicted labels."""
        predicted = labels[:, 1:]
        return (self.weight * predicted[predicted != OUT]).mean()


class Ranks(Counting):
    """One process that answers as if it were one of `ranks`, which all hold the same batches."""

    def __init__(self, ranks: int, **options: Any) -> None:
        super().__init__(**options)
        self.ranks = 1  # while objects are prepared, each batch is ours
        self.ranks_later = ranks

    @property
    def num_processes(self) -> int:
        """Return the number of processes."""
        return self.ranks

    def reduce(self, tensor: Any, reduction: str = "sum", scale: float = 1.0) -> Any:
        """Return the sum or the mean over the processes; of equal numbers, the mean is each."""
        reduced = super().reduce(tensor, reduction, scale)
        return reduced * self.ranks if reduction == "sum" else reduced

    def gather(self, tensor: Any) -> Any:
        """Return what all processes hold, one after the other."""
        return torch.cat([torch.atleast_1d(super().gather(tensor))] * self.ranks)


def token_updates(answer: Callable) -> None:
    """Check exercise 6.3: the token mean of each window, inside `accumulate`."""
    equal = [[9, 1, 2, 3], [9, 4, 5, 6], [9, 7, 8, 9], [9, 2, 4, 6]]
    uneven = [[9, 1], [9, 2, 4, 6, 8], [9, 3, OUT], [5, 7, 1, 2]]
    prompts = [[OUT, OUT, 4, 8], [9, 1, 2, OUT, OUT, OUT], [OUT, 6], [9, 3, 5, 7, 9, OUT]]
    settings = [
        ("one micro-batch, window 1", equal[:1], 1, 1, NO_LIMIT),
        ("four equal micro-batches, window 2", equal, 2, 1, NO_LIMIT),
        ("four unequal micro-batches, window 2", uneven, 2, 1, NO_LIMIT),
        ("a tail of one micro-batch, window 3", uneven, 3, 1, NO_LIMIT),
        ("three micro-batches, window 8", uneven[:3], 8, 1, NO_LIMIT),
        ("prompts and padding, window 2", prompts, 2, 1, NO_LIMIT),
        ("one of two processes, window 3", uneven, 3, 2, NO_LIMIT),
        ("clipped at 3.5, one of two processes, window 3", uneven, 3, 2, 3.5),
        ("no micro-batch", [], 2, 1, NO_LIMIT),
    ]
    cases: list[Case] = [(each[0], partial(_objects, *each[1:])) for each in settings]
    compare("6.3", answer, _token_updates, cases, _cause_of_6_3, _arrived)


def _objects(rows: list[list[int]], window: int, ranks: int, max_norm: float) -> tuple:
    """Return accelerator, model, optimizer and loader, all prepared, and the limit."""
    accelerator = Ranks(ranks, gradient_accumulation_steps=window)
    model = TokenMean()
    loader = DataLoader([torch.tensor(row) for row in rows], batch_size=1)
    prepared = accelerator.prepare(model, Recording(model.parameters(), lr=1.0), loader)
    accelerator.ranks = accelerator.ranks_later
    return accelerator, *prepared, max_norm


def _arrived(arguments: tuple, _: Any) -> list[float]:
    """Return the one gradient at each update; 0 where it was cleared before."""
    return [float(sum(numbers)) for numbers in arguments[2].optimizer.gradients]


@reference
def _token_updates(accelerator, model, optimizer, loader, max_norm: float) -> None:
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != OUT).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                model.weight.grad *= accelerator.num_processes / accelerator.reduce(tokens)
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


def _cause_of_6_3(arguments: tuple, expected: list[float], got: list[float]) -> str:
    accelerator, _, _, loader, limit = arguments
    window, ranks = accelerator.gradient_accumulation_steps, accelerator.ranks
    batches = list(loader)
    windows = [batches[start : start + window] for start in range(0, len(batches), window)]

    def arrive(weigh: Callable, divisor: Callable) -> list[float]:
        """Return the gradients where micro-batches weigh so much, and windows are divided so."""
        sums = [sum(_mean(labels) * weigh(labels) for labels in each) for each in windows]
        return [
            _clip(total / divisor(each), limit) for total, each in zip(sums, windows, strict=True)
        ]

    def total(weigh: Callable) -> Callable:
        return lambda each: sum(map(weigh, each))

    tokens = total(_predicted)
    sums = [sum(_mean(labels) * _predicted(labels) for labels in each) for each in windows]
    counts = [*map(tokens, windows)]
    kept = [0.0]
    for each, count in zip(sums, counts, strict=True):
        kept.append(_clip((kept[-1] + each) / count, limit))
    mean_of_means = "Each micro-batch weighs the same: this is the mean of the means. "
    without_count = "The mean goes in without its count, and is divided by the tokens once more."
    unshifted = "Labels are counted before the shift: the first place of a row is not predicted."
    mistakes = (
        (arrive(_one, len), mean_of_means + "Weigh each by its tokens."),
        (arrive(_one, lambda _: window), mean_of_means + "The tail is divided by a whole window."),
        (arrive(_one, tokens), without_count),
        (arrive(_one, lambda each: tokens(each) * window), without_count),
        (
            arrive(_predicted, lambda each: tokens(each) * window),
            "Too small by the window: `accelerator.backward` divides by it, and nothing undoes it.",
        ),
        (
            arrive(_predicted, lambda _: 1),
            "A sum over the tokens: it is still to be divided by their number.",
        ),
        (
            arrive(_predicted, lambda _: window),
            "A sum over the tokens, divided by the window. Divide by the number of tokens.",
        ),
        (
            [
                _clip(each / count, limit)
                for each, count in zip(sums, accumulate(counts), strict=True)
            ],
            "The count goes on from window to window. Set it to 0 after each update.",
        ),
        (
            arrive(_predicted, lambda each: _predicted(each[-1])),
            "Divided by the tokens of the last micro-batch. Add up those of the window.",
        ),
        (arrive(_labelled, total(_labelled)), unshifted),
        (arrive(_predicted, total(_labelled)), unshifted),
        (
            arrive(torch.numel, total(torch.numel)),
            "All places are counted, those with -100 too.",
        ),
        (
            arrive(_predicted, lambda each: tokens(each) * ranks),
            "Too small by the number of processes: `reduce` gives the tokens of all of them, and "
            "DDP has divided the gradient by their number. Multiply by it.",
        ),
        (
            arrive(_predicted, lambda each: tokens(each) / ranks),
            "Too large by the number of processes: is the count that of all processes, by "
            "`accelerator.reduce`?",
        ),
        (
            [_clip(each, limit) / count for each, count in zip(sums, counts, strict=True)],
            "Clipped before the division, when the gradient is a sum over all tokens.",
        ),
        (
            [each / count for each, count in zip(sums, counts, strict=True)],
            "Not clipped. `max_norm` goes to `accelerator.clip_grad_norm_`, after the division.",
        ),
        (kept[1:], "The gradients of earlier windows are still there: where is `zero_grad`?"),
        ([0.0] * len(windows), "Nothing is left to apply: `zero_grad` comes after `step`."),
        ([], "No update was made: where is `optimizer.step()`?"),
    )
    if len(got) == len(batches) > len(windows):
        return "There is an update at each micro-batch. Is all of it inside `accumulate`?"
    return _named(mistakes, got) or (
        "At `sync_gradients`: the factor, then the clip, then the count back to 0."
    )


def _mean(labels: torch.Tensor) -> float:
    predicted = labels[:, 1:]
    return float(predicted[predicted != OUT].float().mean())


def _clip(number: float, limit: float) -> float:
    return number * min(1.0, limit / (abs(number) + 1e-6))


def _one(_: torch.Tensor) -> int:
    return 1


def _predicted(labels: torch.Tensor) -> int:
    return int((labels[:, 1:] != OUT).sum())


def _labelled(labels: torch.Tensor) -> int:
    return int((labels != OUT).sum())
