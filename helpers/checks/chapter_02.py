"""The checks of chapter 2's exercises."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import partial
from math import ceil, inf
from types import GeneratorType, SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch.optim import SGD

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import Classifier, Recording, parts

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"
BACKWARD, UPDATES, NORMS = "calls of accelerator.backward", "updates", "norms"


def updates_per_epoch(answer: Callable) -> None:
    """Check exercise 2.1: how many updates an epoch makes."""
    cases: list[Case] = [
        ("one micro-batch, window 1", lambda: (1, 1)),
        ("eight micro-batches, window 4", lambda: (8, 4)),
        ("eight micro-batches, window 1", lambda: (8, 1)),
        ("seven micro-batches, window 4", lambda: (7, 4)),
        ("five micro-batches, window 4", lambda: (5, 4)),
        ("three micro-batches, window 8", lambda: (3, 8)),
        ("no micro-batch, window 4", lambda: (0, 4)),
    ]
    compare("2.1", answer, _updates_per_epoch, cases, _cause_of_2_1)


@reference
def _updates_per_epoch(micro_batches: int, window: int) -> int:
    return ceil(micro_batches / window)


def _cause_of_2_1(arguments: tuple, expected: int, got: Any) -> str:
    micro_batches, window = arguments
    if got is None:
        return NOTHING
    for value, sentence in (
        # Before the next one: where both give the same number, that one has failed earlier.
        (round(micro_batches / window), "`round` goes to the nearest whole number. Go up, always."),
        (micro_batches // window, "You count full windows only. The last, short one counts too."),
        (micro_batches / window, "There is no part of an update. Round up."),
        (1, "Without a micro-batch there is nothing to update with."),
        (
            micro_batches // window + 1,
            "One too many where the window divides the micro-batches. Do you add 1, or count "
            "from 0?",
        ),
        (micro_batches, "That is the number of micro-batches. A window of them shares an update."),
        (micro_batches % window, "That is the length of the tail. How many windows are there?"),
    ):
        if same(got, value):
            return sentence
    return "Wanted is one whole number: how many windows does the epoch hold, short ones included?"


class _Place(NamedTuple):
    """Where a micro-batch stands."""

    count: int  # in its epoch, from 1
    seen: int  # since the first epoch, from 1
    window: int
    sizes: list[int]  # the samples in each micro-batch of an epoch

    @property
    def size(self) -> int:
        """Its own samples."""
        return self.sizes[self.count - 1]

    @property
    def in_window(self) -> list[int]:
        """The sizes of the micro-batches of its window, itself included."""
        first = (self.count - 1) // self.window * self.window
        return self.sizes[first : first + self.window]


# When something is done.
def _closes(place: _Place) -> bool:
    return _full(place) or _at_the_end(place)


def _at_the_end(place: _Place) -> bool:
    return place.count == len(place.sizes)


def _full(place: _Place) -> bool:
    return place.count % place.window == 0


def _counted_from_0(place: _Place) -> bool:
    return (place.count - 1) % place.window == 0 or _at_the_end(place)


def _counted_across_epochs(place: _Place) -> bool:
    return place.seen % place.window == 0


def _always(_: _Place) -> bool:
    return True


def _never(_: _Place) -> bool:
    return False


def _closing(when: Callable[[_Place], bool]) -> dict:
    return {"clips": when, "steps": when, "zeroes": when}


# The factor of a micro-batch's loss. Where micro-batches are equal, the first two agree.
def _by_samples(place: _Place) -> float:
    return place.size / sum(place.in_window)


def _by_held(place: _Place) -> float:
    return 1 / len(place.in_window)


def _by_window(place: _Place) -> float:
    return 1 / place.window


def _undivided(_: _Place) -> float:
    return 1.0


def _train(
    accelerator: Any,
    model: Any,
    optimizer: Any,
    loader: Any,
    window: int,
    epochs: int = 1,
    max_norm: float | None = None,
    *,
    share: Callable[[_Place], float] = _by_samples,
    steps: Callable[[_Place], bool] = _closes,
    zeroes: Callable[[_Place], bool] = _closes,
    clips: Callable[[_Place], bool] = _closes,
) -> list[float]:
    """Train, with a mistake if asked, and return the norms from before clipping."""
    norms = []
    sizes = [len(batch["labels"]) for batch in loader]
    for epoch in range(epochs):
        for count, batch in enumerate(loader, start=1):
            place = _Place(count, epoch * len(sizes) + count, window, sizes)
            accelerator.backward(model(**batch).loss * share(place))
            if max_norm is not None and clips(place):
                norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            if steps(place):
                optimizer.step()
            if zeroes(place):
                optimizer.zero_grad()
    return norms


class Steep(Classifier):
    """Has gradients so long that the 1e-6 that PyTorch adds to a norm does not show."""

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> SimpleNamespace:
        """Return an object with `loss`, still a mean over the samples."""
        return SimpleNamespace(loss=50 * super().forward(inputs, labels).loss)


def _prepared(samples: int, batch_size: int, *others: Any, scale: float = 0.0) -> tuple:
    """Return accelerator, prepared model, optimizer and loader, and the `others`."""
    # In double precision, another order of additions does not show in six digits.
    torch.set_default_dtype(torch.float64)
    precision = "fp16" if scale else "no"
    accelerator, _, _, loader = parts(samples, batch_size, mixed_precision=precision)
    model = Steep()
    objects = model, Recording(model.parameters(), lr=0.01), loader
    if scale:
        accelerator.scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    prepared = accelerator.prepare(*objects)
    accelerator.native_amp = bool(scale)  # after `prepare`, so that the model keeps its precision
    return (accelerator, *prepared, *others)


def _seen(arguments: tuple, value: Any, **others: Any) -> Any:
    """Return what reached the optimizer, and how, and the `others`."""
    if isinstance(value, GeneratorType):
        return value  # nothing was done yet, and `compare` says why
    gradients = arguments[2].optimizer.gradients
    return {
        UPDATES: len(gradients),
        BACKWARD: arguments[0].calls["backward"],
        **others,
        **{f"gradient of update {n}": flat for n, flat in enumerate(gradients, start=1)},
    }


def _gradients(seen: dict) -> list[list[float]]:
    return [value for key, value in seen.items() if key.startswith("gradient")]


def _again(arguments: tuple, train: Callable, **mistake: Any) -> tuple[list, list]:
    """Train from the first weights, with a mistake; return gradients and norms."""
    _, model, optimizer = arguments[:3]
    before = deepcopy(model.state_dict())
    optimizer.optimizer.gradients.clear()
    norms = train(**mistake)
    gradients = [*optimizer.optimizer.gradients]
    model.load_state_dict(before)
    model.zero_grad()
    return gradients, norms


FACTORS = (
    ({"share": _undivided}, "The loss is not divided: a sum of means, not their mean."),
    (
        {"share": _by_window},
        "The tail is divided as if its window were full, but it holds less: it counts for too "
        "little. Section 2.5 has the remedy.",
    ),
    (
        {"share": lambda place: _by_window(place) ** 2},
        "You divide twice. Is there a window in the accelerator, or a second `/ window`?",
    ),
    (
        {"share": lambda place: 1 / len(place.sizes)},
        "Divided by the micro-batches of the epoch. Divide by those of the window.",
    ),
    (
        {"share": lambda place: _by_held(place) / place.size},
        "`loss` is already a mean over samples. Divide by the number of micro-batches.",
    ),
    (
        {
            "share": lambda place: (
                _by_window(place) * (place.window - (place.count - 1) % place.window)
            )
        },
        "A running total goes through `backward`, and the earlier losses again and again. Each "
        "micro-batch's own loss belongs there, once.",
    ),
)
PLACES = (
    (
        {"zeroes": _always},
        "Only the last micro-batch of the window is in the update: `zero_grad` stands too far out.",
    ),
    (
        {"zeroes": _never},
        "The gradients of earlier windows are still there: where is `zero_grad`?",
    ),
    (
        _closing(_counted_from_0),
        "The count is off by one: the first window closes after its first micro-batch. "
        "`enumerate` begins at 0, unless told otherwise.",
    ),
    (
        _closing(_at_the_end),
        "Only the end of the loader closes a window. A full window closes too: `or`, not `and`.",
    ),
    (
        _closing(_full),
        "The last window makes no update: its gradient stays in `.grad`. Close it at the end of "
        "the loader.",
    ),
)
FACTORS_TRIED = (_by_samples, _by_held, _by_window, _undivided)


def _mistakes(*tables: Iterable[tuple[dict, str]]) -> list[tuple[dict, str]]:
    """Return all rows of the tables, those without a factor once with each that people write."""
    return [
        ({"share": share} | mistake, sentence)
        for table in tables
        for mistake, sentence in table
        for share in (FACTORS_TRIED if "share" not in mistake else FACTORS_TRIED[:1])
    ]


def _cause(
    arguments: tuple, expected: dict, got: Any, train: Callable, mistakes: list[tuple[dict, str]]
) -> str:
    """Return the sentence that names the mistake in the first update that differs, or ""."""
    if not isinstance(got, dict):
        return ""
    right, given = _gradients(expected), _gradients(got)
    batches, calls = expected[BACKWARD], got[BACKWARD]
    if given and not calls:
        return "The backward pass is not Accelerate's. Write `accelerator.backward(...)`."
    if given and calls == len(right) < batches:
        return (
            "One backward pass for a whole window keeps the activations of all its micro-batches, "
            "and saves no memory. Call `accelerator.backward` for each."
        )
    if calls != batches:
        return f"{calls} of {batches} micro-batches went through `accelerator.backward`."
    if not given and batches >= arguments[4]:
        return "`optimizer.step()` was never called."
    if given and len(given) == len(right) and not any(map(any, given)):
        return (
            "`step` finds no gradient: `zero_grad` comes too early, or `accelerator.backward` too "
            "late."
        )
    if len(given) > len(right) and not all(map(any, given)):
        return "There is an update with nothing in it: the last window was full, and applied."
    if len(given) == batches > len(right):
        return "You make an update at each micro-batch. Wait until the window is full."
    pairs = zip(given, right, strict=False)
    equal = [same(*pair) for pair in pairs]
    if all(equal) and len(given) == len(right):
        return ""
    end = (*equal, False).index(False) + 1
    for mistake, sentence in mistakes:
        if same(_again(arguments, train, **mistake)[0][:end], given[:end]):
            return sentence
    return ""


def train_in_windows(answer: Callable) -> None:
    """Check exercise 2.2: one epoch of accumulation, the tail divided by what it holds."""
    cases: list[Case] = [
        ("one micro-batch, window 1", lambda: _prepared(4, 4, 1)),
        ("three micro-batches, window 1", lambda: _prepared(12, 4, 1)),
        ("four micro-batches, window 4", lambda: _prepared(16, 4, 4)),
        ("eight micro-batches, window 4", lambda: _prepared(32, 4, 4)),
        ("six micro-batches, window 4", lambda: _prepared(24, 4, 4)),
        ("seven micro-batches, window 3", lambda: _prepared(14, 2, 3)),
        ("three micro-batches, window 8", lambda: _prepared(12, 4, 8)),
        ("no micro-batch, window 4", lambda: _prepared(0, 4, 4)),
    ]
    compare("2.2", answer, _train_in_windows, cases, _cause_of_2_2, _seen)


@reference
def _train_in_windows(*arguments: Any) -> None:
    _train(*arguments)


def _cause_of_2_2(arguments: tuple, expected: dict, got: dict) -> str:
    train = partial(_train, *arguments)
    return _cause(arguments, expected, got, train, _mistakes(FACTORS, PLACES)) or (
        "For each micro-batch: forward, `accelerator.backward` of its part of the loss. When the "
        "window is full or the loader at its end: `step`, then `zero_grad`."
    )


def clipped_norms(answer: Callable) -> None:
    """Check exercise 2.3: accumulation with clipping, and the norms from before it."""
    cases: list[Case] = [
        ("one micro-batch, window 1, a high limit", lambda: _prepared(4, 4, 1, 2500.0)),
        ("four micro-batches, window 4, a high limit", lambda: _prepared(16, 4, 4, 2500.0)),
        ("four micro-batches, window 4", lambda: _prepared(16, 4, 4, 5.0)),
        ("eight micro-batches, window 4", lambda: _prepared(32, 4, 4, 10.0)),
        ("six micro-batches, window 4", lambda: _prepared(24, 4, 4, 5.0)),
        ("three micro-batches, window 8", lambda: _prepared(12, 4, 8, 5.0)),
        ("no micro-batch, window 4", lambda: _prepared(0, 4, 4, 5.0)),
        ("four micro-batches under a loss scale", lambda: _prepared(16, 4, 2, 5.0, scale=1024.0)),
    ]
    compare("2.3", answer, _clipped_norms, cases, _cause_of_2_3, _seen_with_norms)


@reference
def _clipped_norms(*arguments: Any) -> list[float]:
    return _train(*arguments[:5], max_norm=arguments[5])


def _seen_with_norms(arguments: tuple, value: Any) -> Any:
    return _seen(arguments, value, **{NORMS: value})


CLIPPING = (
    (
        {"clips": _always},
        "You clip at each micro-batch. That cuts partial sums: clip once, when the window is full.",
    ),
    (
        {"clips": _never},
        "`step` got a gradient that was not clipped. Clip after the last `backward` of the "
        "window and before `step`.",
    ),
    ({"max_norm": 1.0}, "You clip to 1. The limit is `max_norm`."),
)


def _cause_of_2_3(arguments: tuple, expected: dict, got: dict) -> str:
    if not isinstance(got, dict):
        return ""
    if arguments[0].scaler is not None:
        return (
            "Under a loss scale the gradients in `.grad` are too large by the scale. Only "
            "`accelerator.clip_grad_norm_` knows it (section 2.6)."
        )
    if got[NORMS] is None:
        return NOTHING
    train = partial(_train, *arguments[:5], **{"max_norm": arguments[5]})
    mistakes = _mistakes(FACTORS, CLIPPING, PLACES)
    return (
        _cause(arguments, expected, got, train, mistakes)
        or _cause_of_norms(arguments, expected, got, train, mistakes)
        or (
            "When the window is full or the loader at its end: `accelerator.clip_grad_norm_`, "
            "`step`, `zero_grad`. Keep the number that the first one returns."
        )
    )


def _cause_of_norms(
    arguments: tuple, expected: dict, got: dict, train: Callable, mistakes: list
) -> str:
    """Return the sentence that fits the norms, where the gradients do not tell."""
    norms, right, limit = got[NORMS], expected[NORMS], arguments[5]
    if same(max((abs(each) for flat in _gradients(got) for each in flat), default=0), limit):
        return "You limit each number by itself, which turns the gradient. Limit its norm."
    if same(norms, right):
        return ""
    after = [sum(number**2 for number in flat) ** 0.5 for flat in _gradients(expected)]
    if same(norms, after) or same(norms, [min(norm, limit) for norm in right]):
        return "These norms are from after clipping. `clip_grad_norm_` returns the one from before."
    if same(norms, [norm**2 for norm in right]):
        return "These are the squares of the norms."
    for mistake, sentence in mistakes:
        if same(norms, _again(arguments, train, **mistake)[1]):
            return sentence
    if not isinstance(norms, list | tuple) or len(norms) != len(right):
        return f"Wanted is a list with one norm an update, here {len(right)}."
    return ""


def effect_of_clipping(answer: Callable) -> None:
    """Check exercise 2.4: the largest difference that clipping makes to a loss."""
    cases: list[Case] = [
        ("one batch", lambda: _to_compare(4, 4, 0.04, 5.0)),
        ("four batches, a high limit", lambda: _to_compare(16, 4, 0.04, 2500.0)),
        ("four batches", lambda: _to_compare(16, 4, 0.04, 5.0)),
        ("six batches", lambda: _to_compare(24, 4, 0.1, 5.0)),
        ("four batches, the last one short", lambda: _to_compare(13, 4, 0.04, 5.0)),
        ("no batch", lambda: _to_compare(0, 4, 0.04, 5.0)),
    ]
    compare("2.4", answer, _effect_of_clipping, cases, _cause_of_2_4)


def _to_compare(samples: int, batch_size: int, learning_rate: float, max_norm: float) -> tuple:
    torch.set_default_dtype(torch.float64)
    accelerator, _, _, loader = parts(samples, batch_size)
    return accelerator, Steep(), loader, learning_rate, max_norm


@reference
def _effect_of_clipping(accelerator, model, loader, learning_rate: float, max_norm: float) -> float:
    return _largest(
        _losses(accelerator, deepcopy(model), loader, learning_rate, max_norm),
        _losses(accelerator, deepcopy(model), loader, learning_rate, inf),
    )


def _losses(
    accelerator, model, loader, rate: float, limit: float, zero: bool = True, update: bool = True
) -> list[float]:
    """Train the model and return its losses, with a mistake if asked."""
    optimizer = SGD(model.parameters(), lr=rate)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), limit)
        if update:
            optimizer.step()
        if zero:
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def _largest(some: list[float], others: list[float]) -> float:
    return max((abs(a - b) for a, b in zip(some, others, strict=True)), default=0.0)


def _cause_of_2_4(arguments: tuple, expected: float, got: Any) -> str:
    accelerator, model, loader, learning_rate, max_norm = arguments
    if got is None:
        return NOTHING
    if isinstance(got, list | tuple | dict):
        return "Wanted is one number: the largest of the differences."
    if not len(loader):
        return "Without a batch there is no difference: 0."
    if same(got, 0.0):
        return (
            "Both runs had the same losses. Do the weights of both change? Does one clip, between "
            "`backward` and `step`?"
        )

    def losses(limit: float, trained: torch.nn.Module | None = None, **mistake: bool) -> list:
        trained = deepcopy(model) if trained is None else trained
        return _losses(accelerator, trained, loader, learning_rate, limit, **mistake)

    clipped, unclipped, frozen = losses(max_norm), losses(inf), losses(inf, update=False)
    signed = [one - other for one, other in zip(clipped, unclipped, strict=True)]
    sizes = [abs(difference) for difference in signed]
    one, other = deepcopy(model), deepcopy(model)
    for sentence, values in {
        "A difference may be negative, and still be the largest: take `abs` of each.": (
            [max(signed), -min(signed), min(signed), -max(signed)]
        ),
        "That is a mean. Wanted is the largest difference of two losses of the same batch.": (
            [each / len(sizes) for each in (sum(sizes), sum(signed), -sum(signed))]
        ),
        "That is a sum. Wanted is the largest difference.": [sum(sizes), abs(sum(signed))],
        "That is the difference of the last losses.": [sizes[-1]],
        "That is the difference of the largest losses. Compare batch by batch.": (
            [abs(max(clipped) - max(unclipped))]
        ),
        "The second run goes on with the weights that the first one has trained.": (
            [
                _largest(losses(max_norm, one), losses(inf, one)),
                _largest(losses(inf, other), losses(max_norm, other)),
            ]
        ),
        "In one run the weights never change. Whose parameters does its optimizer hold?": (
            [_largest(clipped, frozen), _largest(unclipped, frozen)]
        ),
        "Old gradients are still there: where is `zero_grad`?": (
            [_largest(losses(max_norm, zero=False), losses(inf, zero=False))]
        ),
        "You clip to 1. The limit is `max_norm`.": [_largest(losses(1.0), unclipped)],
    }.items():
        if any(same(got, value) for value in values):
            return sentence
    return (
        "Both runs begin with the weights that `model` came with, so the first losses are equal. "
        "Record the loss that `backward` got."
    )


def repaired(answer: Callable) -> None:
    """Check exercise 2.5: the last window makes an update too, and each sample counts the same."""
    cases: list[Case] = [
        ("four micro-batches, window 4, one epoch", lambda: _prepared(12, 3, 4, 1)),
        ("four micro-batches, window 2, two epochs", lambda: _prepared(16, 4, 2, 2)),
        ("six micro-batches, window 4, two epochs", lambda: _prepared(24, 4, 4, 2)),
        ("three micro-batches, window 1, the last one short", lambda: _prepared(9, 4, 1, 2)),
        ("six micro-batches, window 4, the last one short", lambda: _prepared(21, 4, 4, 2)),
        ("three micro-batches, window 8, the last one short", lambda: _prepared(10, 4, 8, 2)),
        ("no micro-batch, window 4, two epochs", lambda: _prepared(0, 4, 4, 2)),
    ]
    compare("2.5", answer, _repaired, cases, _cause_of_2_5, _seen)


@reference
def _repaired(*arguments: Any) -> None:
    _train(*arguments)


def _by_samples_so_far(place: _Place, epochs: int = 0) -> float:
    first = (place.count - 1) // place.window * place.window
    samples = sum(place.sizes[: first + place.window]) + epochs * sum(place.sizes)
    return place.size / samples


def _by_all_samples_so_far(place: _Place) -> float:
    return _by_samples_so_far(place, (place.seen - 1) // len(place.sizes))


LOST = (
    (
        _closing(_full),
        "The last window makes no update. Its gradient stays in `.grad` and joins the next epoch, "
        "or is lost.",
    ),
    (
        {"steps": _full, "zeroes": _closes},
        "You throw the last window's gradient away. It should make an update.",
    ),
    (
        _closing(_counted_across_epochs),
        "Your count goes on from epoch to epoch, so a window holds the end of one and the "
        "beginning of the next. Close the window at the end of each epoch.",
    ),
)
WEIGHTS = (
    (
        {"share": _by_held},
        "Each micro-batch counts the same here, the short one too. Weight each loss by its "
        "samples.",
    ),
    ({"share": lambda place: place.size}, "A sum over samples: divide by those of the window."),
    (
        {"share": lambda place: place.size / len(place.in_window)},
        "Weighted by samples: divide by the samples of the window, not by its micro-batches.",
    ),
    (
        {"share": _by_samples_so_far},
        "The number of samples goes on growing. Start it anew in each window.",
    ),
    (
        {"share": _by_all_samples_so_far},
        "The number of samples goes on growing. Start it anew in each window.",
    ),
)


def _cause_of_2_5(arguments: tuple, expected: dict, got: dict) -> str:
    train = partial(_train, *arguments)
    mistakes = _mistakes(FACTORS, WEIGHTS, LOST, PLACES)
    return _cause(arguments, expected, got, train, mistakes) or (
        "A loss is the mean over its micro-batch: times its samples, over the samples of its "
        "window. A window that closes, at the end of an epoch too: `step`, `zero_grad`, and what "
        "you count starts anew."
    )
