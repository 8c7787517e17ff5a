"""The checks of chapter 5's exercises."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import torch
from accelerate import Accelerator
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import Classifier, Recording, parts

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"
FEW = 2  # graphs that a loop holds without a leak: of the batch before, under two names
WEIGHTS = "at the end the weights"
nan = math.nan


def exact_scores(answer: Callable) -> None:
    """Check exercise 5.1: loss and accuracy over all samples, and nothing left behind."""
    cases: list[Case] = [
        ("one batch of two, model in train mode", lambda: _to_score(2, 2)),
        ("two batches of four, model in eval mode", lambda: _to_score(8, 4, training=False)),
        ("nine samples in batches of four", lambda: _to_score(9, 4)),
        ("the same nine in batches of two", lambda: _to_score(9, 2)),
        ("a batch size larger than the set", lambda: _to_score(3, 8)),
        ("one sample", lambda: _to_score(1, 4)),
        ("no sample", lambda: _to_score(0, 4)),
    ]
    compare("5.1", answer, _exact_scores, cases, _cause_of_5_1, _evaluation)


class Watched(Classifier):
    """Has dropout, and notes in each forward pass what an evaluation should have switched."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)
        self.passes: list[tuple[bool, bool, int]] = []

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
        """Note mode, gradients and number of samples, and do as usual."""
        self.passes.append((self.training, torch.is_grad_enabled(), len(labels)))
        return super().forward(self.dropout(inputs), labels)


def _to_score(samples: int, batch_size: int, training: bool = True) -> tuple:
    accelerator, _, _, loader = parts(samples, batch_size)
    model = Watched().train(training)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)  # of an accumulation window under way
    return (*accelerator.prepare(model, loader), accelerator)


@reference
def _exact_scores(model: Watched, loader: DataLoader, _: Accelerator) -> dict[str, float]:
    batches = _batches(model, loader)
    samples = sum(size for _, _, size in batches)
    if not samples:
        return {"loss": nan, "accuracy": nan}
    return {
        "loss": sum(loss * size for loss, _, size in batches) / samples,
        "accuracy": sum(correct for _, correct, _ in batches) / samples,
    }


def _batches(model: Watched, loader: DataLoader, axis: int = -1) -> list[tuple[float, int, int]]:
    """Return of each batch the mean loss, the number of right answers and of samples."""
    training, found = model.training, []
    model.eval()
    with torch.no_grad():
        for batch in loader:
            outputs, labels = model(**batch), batch["labels"]
            predicted = outputs.logits.argmax(dim=axis)
            correct = predicted == labels if len(predicted) == len(labels) else torch.tensor(-1)
            found.append((outputs.loss.item(), int(correct.sum()), len(labels)))
    model.train(training)
    return found


def _evaluation(arguments: tuple, value: Any) -> dict[str, Any]:
    model, loader, _ = arguments
    given = [bool((parameter.grad == 1).all()) for parameter in _with_gradients(model)]
    return {
        "entries": _entries(value, "loss", "accuracy"),
        "passes in train mode": sum(training for training, _, _ in model.passes),
        "samples evaluated": min(sum(size for *_, size in model.passes), len(loader.dataset)),
        "loss": _nan_named(_entry(value, "loss")),
        "accuracy": _nan_named(_entry(value, "accuracy")),
        "passes with gradients on": sum(gradients for _, gradients, _ in model.passes),
        "mode afterwards": "train" if model.training else "eval",
        "parameters whose gradient is as before": sum(given),
    }


def _with_gradients(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    return [parameter for parameter in model.parameters() if parameter.grad is not None]


def _entries(value: Any, *wanted: str) -> Any:
    return [name for name in wanted if name in value] if isinstance(value, dict) else value


def _entry(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _nan_named(value: Any) -> Any:
    """Return `nan` as a word, which is equal to itself."""
    try:
        return "nan" if math.isnan(value) else value
    except Exception:  # whatever a learner returns
        return value


def _cause_of_5_1(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    if got["entries"] is None:
        return NOTHING
    if not same(got["entries"], expected["entries"]):
        return "Wanted is a dictionary: `loss` and `accuracy`, a number each."
    if got["passes in train mode"]:
        return "Dropout is on in these passes. What does `model.eval()` switch?"
    if got["samples evaluated"] < expected["samples evaluated"]:
        return "Your loop leaves some samples out: a `break` or a `return` inside it?"
    model, loader, _ = arguments
    batches = _batches(model, loader)
    for entry, cause in (("loss", _cause_of_loss), ("accuracy", _cause_of_accuracy)):
        if not same(got[entry], expected[entry]):
            if not batches:
                return "Nothing was measured, and 0 would be a result: return `nan` for both."
            if entry == "accuracy" and _is_over_samples(model, loader, got[entry]):
                return "`argmax` goes over the samples. The classes are the last dimension."
            return cause(batches, got[entry])
    if got["passes with gradients on"]:
        return (
            "The numbers are right, and each pass keeps activations that nobody needs: `eval()` "
            "does not switch gradients off."
        )
    if got["mode afterwards"] != expected["mode afterwards"]:
        return (
            f"The model came in {expected['mode afterwards']} mode. Note `model.training` before "
            "you change it, and put it back with `model.train(...)`."
        )
    return "An evaluation leaves gradients alone: no `backward`, no `zero_grad`."


def _is_over_samples(model: Watched, loader: DataLoader, accuracy: Any) -> bool:
    batches = _batches(model, loader, axis=0)
    samples = sum(size for *_, size in batches)
    return same(accuracy, sum(correct for _, correct, _ in batches) / samples)


def _cause_of_loss(batches: list[tuple[float, int, int]], got: Any) -> str:
    losses = [loss for loss, _, _ in batches]
    total = sum(loss * size for loss, _, size in batches)
    if same(got, sum(losses) / len(batches)):
        return "That is the mean of the batches' means: the last, short batch counts too much."
    if same(got, losses[-1]):
        return "That is the loss of the last batch alone."
    if same(got, sum(losses)) or same(got, total):
        return "That is a sum. Divide it by the number of samples."
    if same(got, sum(losses) / sum(size for *_, size in batches)):
        return "You divide by samples what was added per batch. A batch adds `loss * size`."
    if same(got, total / len(batches)):
        return "You weight by samples. Divide by the number of samples too, not of batches."
    if same(got, total / len(batches) / batches[0][2]):
        return "The last batch is shorter than the batch size. Count the samples."
    return "`outputs.loss` is the mean of one batch. Two sums: losses times samples, and samples."


def _cause_of_accuracy(batches: list[tuple[float, int, int]], got: Any) -> str:
    samples = sum(size for *_, size in batches)
    correct = sum(right for _, right, _ in batches)
    if same(got, sum(right / size for _, right, size in batches) / len(batches)):
        return "That is the mean of the batches' accuracies: a short batch counts too much."
    if same(got, correct):
        return "That is the number of right answers. Divide it by the number of samples."
    if same(got, 100 * correct / samples):
        return "That is a percentage. The share is a number between 0 and 1."
    if same(got, batches[-1][1] / batches[-1][2]):
        return "That is the accuracy of the last batch alone."
    if same(got, 1 - correct / samples):
        return "That is the share of mistakes. The rest is wanted."
    if same(got, correct / len(batches)):
        return "You divide the right answers by the number of batches. Divide by samples."
    return "The predicted label is the class with the largest logit. How many equal `labels`?"


def when_to_stop(answer: Callable) -> None:
    """Check exercise 5.2: the epochs that run, and the best of them."""
    lists: list[tuple[str, list[float], int, float]] = [
        ("one epoch", [0.7], 2, 0.0),
        ("three epochs, each better", [0.9, 0.8, 0.7], 2, 0.0),
        ("two worse ones in a row", [0.7, 0.5, 0.6, 0.65, 0.55, 0.6, 0.4], 2, 0.0),
        ("worse ones, but not in a row", [0.9, 0.7, 0.8, 0.6, 0.65, 0.5, 0.55], 2, 0.0),
        ("a jump, then slowly down", [0.5, 0.9, 0.8, 0.7, 0.6], 3, 0.0),
        ("four equal ones", [0.5, 0.5, 0.5, 0.5], 2, 0.0),
        ("better after a plateau", [0.6, 0.6, 0.6, 0.4, 0.5], 3, 0.0),
        ("a patience longer than the list", [0.5, 0.6, 0.7], 5, 0.0),
        ("better by less than `least`", [1.0, 0.95, 0.91, 0.7], 2, 0.1),
        ("better by `least` in two epochs", [1.0, 0.95, 0.88, 0.85], 3, 0.1),
        ("better by `least` exactly", [1.0, 0.75, 0.75], 2, 0.25),
        ("nan in the middle", [0.6, nan, 0.5, nan, nan, 0.1], 2, 0.0),
        ("nan at first", [nan, 0.5, 0.6], 2, 0.0),
        ("only nan", [nan, nan, nan], 2, 0.0),
        ("a patience of 0", [0.5, 0.4], 0, 0.0),
        ("no epoch", [], 2, 0.0),
    ]
    cases: list[Case] = [
        (f"{words} ({', '.join(_named(*rest))})", partial(_copied, *rest)) for words, *rest in lists
    ]
    compare("5.2", answer, _when_to_stop, cases, _cause_of_5_2)


def _named(losses: list[float], patience: int, least: float) -> list[str]:
    return [str(losses), f"patience {patience}"] + ([f"least {least}"] if least else [])


def _copied(losses: list[float], patience: int, least: float) -> tuple:
    return list(losses), patience, least


def _is_lower(loss: float, best: float, last: float, least: float) -> bool:
    return loss < best - least


def _is_reached(waited: int, patience: int, is_better: bool) -> bool:
    return waited >= patience


def _stop(
    losses: Sequence[float],
    patience: int,
    least: float,
    better: Callable = _is_lower,
    enough: Callable = _is_reached,
    forgive: bool = True,
) -> tuple[int, int]:
    """Return how many epochs run and which is best, with a mistake if asked."""
    best, last = math.inf, math.inf
    best_epoch = waited = 0
    for epoch, loss in enumerate(losses, start=1):
        is_better = better(loss, best, last, least)
        if is_better:
            best, best_epoch = loss, epoch
            waited = 0 if forgive else waited
        else:
            waited += 1
        if enough(waited, patience, is_better):
            return epoch, best_epoch
        last = loss
    return len(losses), best_epoch


@reference
def _when_to_stop(losses: list[float], patience: int, least: float) -> tuple[int, int]:
    return _stop(losses, patience, least)


MISTAKES_OF_5_2: list[tuple[dict[str, Any], str]] = [
    (
        {"forgive": False},
        "You count all epochs without a new best. A new best starts the count anew.",
    ),
    (
        {"better": lambda loss, best, last, least: loss < last - least},
        "You compare with the epoch before. A new best is lower than the best so far.",
    ),
    (
        {"better": lambda loss, best, last, least: loss <= best - least},
        "Lower by exactly `least`, or equal to the best, is no new best: `<`, not `<=`.",
    ),
    (
        {"better": lambda loss, best, last, least: loss < best},
        "Where is `least`? A new best is lower than the best so far by more than that.",
    ),
    (
        {"better": lambda loss, best, last, least: not loss >= best - least},
        "Any comparison with nan is false, so `else` takes nan for a new best.",
    ),
    (
        {"better": lambda loss, best, last, least: loss < best - least or best == math.inf},
        "You take the first loss as the best, even nan. Nothing is lower than nan: start from inf.",
    ),
    (
        {"enough": lambda waited, patience, is_better: waited >= patience and not is_better},
        "You look at `patience` only where there is no new best. 0 is reached by any epoch.",
    ),
    (
        {"enough": lambda waited, patience, is_better: waited > patience},
        "One epoch late: the count of epochs without a new best has to reach `patience`, not pass.",
    ),
    (
        {"enough": lambda waited, patience, is_better: waited >= patience - 1},
        "One epoch early: how many epochs without a new best are there at this point?",
    ),
    (
        {"enough": lambda waited, patience, is_better: False},
        "Your training never stops before the end of the list.",
    ),
]


def _cause_of_5_2(arguments: tuple, expected: tuple[int, int], got: Any) -> str:
    losses, patience, least = arguments
    if got is None:
        return NOTHING
    if not isinstance(got, list | tuple) or len(got) != 2:
        return "Wanted are two numbers: how many epochs run, and which of them is the best."
    run, best = expected
    for epochs in ((run - 1, best - 1), (run, best - 1), (run - 1, best)):
        if min(epochs) >= 0 and 0 in epochs and same(got, epochs):
            return "Epochs are counted from 1, in both numbers."
    if run != best and same(got, (best, run)):
        return "The two numbers are in the wrong order: first the epochs that run."
    if best and same(got, (run, losses[best - 1])):
        return "The second number is the epoch, not its loss."
    if same(got, _stop([-loss for loss in losses], patience, least)):
        return "Your best is the highest. A loss is better when it is lower."
    for mistake, sentence in MISTAKES_OF_5_2:
        if same(got, _stop(losses, patience, least, **mistake)):
            return sentence
    if losses and same(got, (run, 1 + losses.index(min(losses)))):
        return "The best of the whole list, but training had ended before that epoch."
    if same(got, (run - 1, best - 1)):
        return "Epochs are counted from 1, in both numbers."
    return (
        "Three things change from epoch to epoch: the best loss, its epoch, and how many epochs "
        "have passed since."
    )


def keep_best(answer: Callable) -> None:
    """Check exercise 5.3: train, and end with the weights of the best epoch in the model."""
    cases: list[Case] = [
        ("one epoch", lambda: _to_train([0.5])),
        ("the best epoch is the last of three", lambda: _to_train([0.9, 0.7, 0.5])),
        ("validation losses 0.9, 0.5, 0.7", lambda: _to_train([0.9, 0.5, 0.7])),
        ("validation losses 0.5, 0.9, 0.7", lambda: _to_train([0.5, 0.9, 0.7])),
        ("two equally good: 0.9, 0.5, 0.6, 0.5", lambda: _to_train([0.9, 0.5, 0.6, 0.5])),
        ("nan at first: nan, 0.5, 0.6", lambda: _to_train([nan, 0.5, 0.6])),
        ("a wrapped model, losses 0.5, 0.6", lambda: _to_train([0.5, 0.6], wrapped=True)),
        ("no epoch", lambda: _to_train([])),
    ]
    compare("5.3", answer, _keep_best, cases, _cause_of_5_3, _training)


class Moody(Classifier):
    """Notes in each forward pass whether it is in train mode."""

    def __init__(self) -> None:
        super().__init__()
        self.modes: list[bool] = []

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
        """Note the mode, and do as usual."""
        self.modes.append(self.training)
        return super().forward(inputs, labels)


class Wrapper(torch.nn.DataParallel):
    """A model as several processes have it: the weights' names begin with `module.`."""

    def __init__(self, module: torch.nn.Module) -> None:
        torch.nn.Module.__init__(self)
        self.module, self.device_ids = module, []  # no device: the call goes straight through


class Following(Recording):
    """Notes the weights (flat) too: at first, and after each update."""

    def __init__(self, model: torch.nn.Module, lr: float) -> None:
        super().__init__(model.parameters(), lr=lr)
        self.model, self.weights = model, [_flat(model)]

    def step(self, closure: Callable | None = None) -> Any:
        """Do as usual, and note."""
        result = super().step(closure)
        self.weights.append(_flat(self.model))
        return result


class Score:
    """Gives the next epoch's loss from a list, and leaves the model in eval mode as `evaluate`."""

    def __init__(self, losses: list[float], optimizer: Following, batches: int) -> None:
        self.losses, self.optimizer, self.batches = losses, optimizer, batches

    def __call__(self, model: torch.nn.Module) -> float:
        """Return the validation loss of the epoch that the updates so far make."""
        model.eval()
        epoch = len(self.optimizer.gradients) // self.batches
        return self.losses[min(epoch, len(self.losses)) - 1] if epoch and self.losses else 9.0


def _flat(model: torch.nn.Module) -> list[float]:
    return [number for values in model.parameters() for number in values.flatten().tolist()]


def _to_train(losses: list[float], wrapped: bool = False) -> tuple:
    accelerator, _, _, loader = parts(6, 4)
    model = Moody()
    optimizer = Following(model, lr=0.5)
    score = Score(losses, optimizer, len(loader))
    model, prepared, loader = accelerator.prepare(model, optimizer, loader)
    model = Wrapper(model) if wrapped else model
    return model, prepared, loader, accelerator, score, len(losses)


@reference
def _keep_best(model, optimizer, loader, accelerator, score, epochs: int) -> list[float]:
    losses: list[float] = []
    best, kept = math.inf, {}
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept:
        model.load_state_dict(kept)
    return losses


def _training(arguments: tuple, value: Any) -> dict[str, Any]:
    model, _, _, accelerator, score, _ = arguments
    model, optimizer = accelerator.unwrap_model(model), score.optimizer
    listed = list(value) if isinstance(value, list | tuple | torch.Tensor) else None
    weights = _flat(model)
    epochs = [
        number
        for number, then in enumerate(optimizer.weights[:: score.batches])
        if same(weights, then)
    ]
    return {
        "validation losses": value if listed is None else [_nan_named(loss) for loss in listed],
        "updates": len(optimizer.gradients),
        "training passes in eval mode": model.modes.count(False),
        "gradients of the updates": optimizer.gradients,
        WEIGHTS: f"of epoch {epochs[-1]}" if epochs else "of no epoch",
    }


def _cause_of_5_3(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    model, _, loader, _, score, epochs = arguments
    given = got["validation losses"]
    if given is None:
        return NOTHING
    if got["updates"] != expected["updates"]:
        return f"Wanted are {epochs} epochs over the whole loader of {len(loader)} batches."
    if not same(given, expected["validation losses"]):
        if not isinstance(given, list | tuple):
            return "Wanted are the validation losses of all epochs, in a list."
        return "`score(model)` after each epoch: what it returns is that epoch's validation loss."
    if got["training passes in eval mode"]:
        return (
            "`score` leaves the model in eval mode, so the next epoch trains without dropout. "
            "`model.train()` belongs inside the loop over the epochs."
        )
    if not same(got["gradients of the updates"], expected["gradients of the updates"]):
        return (
            "The training itself differs: `accelerator.backward`, `step`, `zero_grad` for each "
            "batch, and the best weights go back once, after the last epoch."
        )
    if not score.losses:
        return "Without an epoch there is nothing to load: leave the weights as they are."
    return _cause_of_weights(score.losses, isinstance(model, Wrapper), got[WEIGHTS])


def _cause_of_weights(losses: list[float], wrapped: bool, got: str) -> str:
    numbers = range(1, len(losses) + 1)
    best = min(
        numbers, key=lambda epoch: (losses[epoch - 1] != losses[epoch - 1], losses[epoch - 1])
    )
    equal = [epoch for epoch in numbers if losses[epoch - 1] == losses[best - 1]]
    falls = [epoch for epoch in numbers[1:] if losses[epoch - 1] < losses[epoch - 2]]
    named = [
        (
            len(losses) if wrapped else None,
            "Nothing was loaded: in a wrapped model every name begins with `module.`, and "
            "`save_model` writes names without it. Load into `accelerator.unwrap_model(model)`.",
        ),
        (
            equal[-1] if len(equal) > 1 else None,
            "Of equally good epochs the first is wanted, and you keep the last: `<`, not `<=`.",
        ),
        (
            falls[-1] if falls and best not in falls else None,
            "You compare with the epoch before. Compare with the best so far.",
        ),
        (
            1 if losses[0] != losses[0] else None,
            "You take the first loss as the best, even nan. Nothing is lower than nan.",
        ),
        (
            len(losses),
            "These are the last weights. Either nothing was loaded, or what you kept are the live "
            "tensors, which move on with the training: `state_dict()` copies nothing.",
        ),
        (best - 1, "These are the weights before the best epoch. Keep them after `score`."),
        (
            max(numbers, key=lambda epoch: losses[epoch - 1]),
            "The weights of the worst epoch: a loss is better when it is lower.",
        ),
    ]
    for epoch, sentence in named:
        if got == f"of epoch {epoch}":
            return sentence
    return "Whenever `score` gives a new best, keep a copy; after the last epoch, load it."


def repaired(answer: Callable) -> None:
    """Check exercise 5.4: the same numbers, and no graph held from batch to batch."""
    cases: list[Case] = [
        ("six batches", lambda: _to_repair(12, 2)),
        ("five batches, the last of one sample", lambda: _to_repair(9, 2)),
        ("one batch", lambda: _to_repair(4, 4)),
    ]
    compare("5.4", answer, _repaired, cases, _cause_of_5_4, _memory)


class Token:
    """Lives as long as the operation in a graph that holds it."""


class Mark(torch.autograd.Function):
    """Changes nothing, and puts a token into the graph."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, alive: WeakSet) -> torch.Tensor:
        """Hand on the values; `ctx` goes when the graph goes."""
        ctx.token = Token()
        alive.add(ctx.token)
        return values.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple:
        """Hand on the gradient."""
        return gradient, None


class Traced(Classifier):
    """Notes, when a forward pass begins, how many earlier graphs are still held."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: WeakSet = WeakSet()
        self.held: list[int] = []

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> SimpleNamespace:
        """Note, and do as usual."""
        self.held.append(len(self.alive))
        logits = Mark.apply(self.linear(inputs), self.alive)
        return SimpleNamespace(loss=cross_entropy(logits, labels), logits=logits)


def _to_repair(samples: int, batch_size: int) -> tuple:
    accelerator, _, _, loader = parts(samples, batch_size)
    model = Traced()
    optimizer = Recording(model.parameters(), lr=0.5)
    return (*accelerator.prepare(model, optimizer, loader), accelerator)


@reference
def _repaired(model, optimizer, loader, accelerator) -> dict[str, Any]:
    losses, sizes, logits = _trained(model, optimizer, loader, accelerator)
    total = sum(loss * size for loss, size in zip(losses, sizes, strict=True))
    return {"loss": total / sum(sizes), "logits": torch.cat(logits).tolist()}


def _trained(model, optimizer, loader, accelerator) -> tuple[list[float], list[int], list]:
    """Train an epoch; return losses and sizes of its batches, and the logits afterwards."""
    losses, sizes = [], []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        sizes.append(len(batch["labels"]))
    with torch.no_grad():
        return losses, sizes, [model(**batch).logits for batch in loader]


def _memory(arguments: tuple, value: Any) -> dict[str, Any]:
    model, _, loader, _ = arguments
    held = model.held or [0]
    return {
        "entries": _entries(value, "loss", "logits"),
        "loss": _entry(value, "loss"),
        "logits": _entry(value, "logits"),
        "graphs held at the last training batch": _few(held[min(len(loader), len(held)) - 1]),
        "graphs held at the last evaluation batch": _few(held[-1]),
        "loss tied to a graph": _tied(_entry(value, "loss")),
        "logits tied to a graph": _tied(_entry(value, "logits")),
        "graphs held after the return": len(model.alive),
    }


def _few(count: int) -> Any:
    return count if count > FEW else f"at most {FEW}"


def _tied(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _cause_of_5_4(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    if got["entries"] is None:
        return NOTHING
    if not same(got["entries"], expected["entries"]):
        return "Return the dictionary that the given function returns: `loss` and `logits`."
    losses, sizes, logits = _trained(*arguments)
    if not same(got["loss"], expected["loss"]):
        return _cause_of_total(losses, sizes, got["loss"])
    if not same(got["logits"], expected["logits"]):
        if same(got["logits"], [values.tolist() for values in logits]):
            return "One tensor is wanted, with a row for each sample: `torch.cat`."
        if same(got["logits"], logits[-1].tolist()):
            return "These are the logits of the last batch alone. All of them are wanted."
        return "The logits, of all samples, come from the trained weights, after the last update."
    return _cause_of_leak(expected, got)


def _cause_of_total(losses: list[float], sizes: list[int], got: Any) -> str:
    samples = sum(sizes)
    if same(got, losses[-1] * sizes[-1] / samples) or same(got, losses[-1]):
        return "That is the last batch alone: the sum was replaced and not added to."
    if same(got, sum(losses) / samples) or same(got, sum(losses) / len(losses)):
        return "The given function weights each loss by the samples of its batch. Keep that."
    return "The training is to stay as it was. Only what the loop holds on to may change."


def _cause_of_leak(expected: dict[str, Any], got: dict[str, Any]) -> str:
    training, evaluation, loss, logits, _ = [
        not same(got[entry], expected[entry]) for entry in list(expected)[3:]
    ]
    if training and not loss:
        return (
            "What you return is free of graphs, but it comes too late: as long as the loop "
            "runs, the sum holds the graph of each batch. Read the loss inside the loop."
        )
    if training or loss:
        return (
            "`total` is a tensor that remembers how it was made, and each `+=` ties one more graph "
            "to it. Deleting other names, collecting garbage or emptying a cache frees only what "
            "nobody holds."
        )
    if evaluation and not logits:
        return (
            "The logits are set free after the loop. During it, each batch keeps its activations: "
            "switch gradients off around the forward passes."
        )
    if evaluation or logits:
        return (
            "`total` is repaired. The second loop makes graphs too, and the list holds all of "
            "them. `eval()` does not switch gradients off; what does?"
        )
    return "Something else still holds a graph: an attribute, a global, a list of your own?"
