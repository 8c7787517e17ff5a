"""The checks of chapter 4's exercises."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from accelerate import Accelerator
from torch.nn import Embedding, LayerNorm, Linear, Sequential
from torch.optim import SGD
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.toys import Recording
from helpers.notebook import reset_accelerate

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"

# Entries of what is compared, as messages name them.
COMPUTED = "type of the linear layer's output"
PASSES = "passes of the model"
HOOKS = "hooks left on the model"
LEFT = "batches that begin with an old gradient"
NORMS = "norms"
GRADIENTS = "gradients at the updates"
SCALE = "scale at the end"

Mistakes = Sequence[tuple[Any, str]]  # a wrong result, and what is said to it


def _named(mistakes: Mistakes, got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def computed_in(answer: Callable) -> None:
    """Check exercise 4.1: the type in which a linear layer computes, seen on the layer."""
    cases: list[Case] = [
        ("fp32 asked for", lambda: _to_probe("no", Linear(2, 2))),
        ("bf16 asked for", lambda: _to_probe("bf16", Linear(2, 2))),
        ("fp16 asked for, on a CPU", lambda: _to_probe("fp16", Linear(2, 2))),
        ("fp16 asked for, and switched on", lambda: _to_probe("fp16", Linear(2, 2), by_hand=True)),
        (
            "bf16 asked for, an embedding comes first",
            lambda: _to_probe("bf16", Embedding(4, 2), Linear(2, 2)),
        ),
        (
            "bf16 asked for, the linear layer inside a block, and float32 after it",
            lambda: _to_probe("bf16", Sequential(LayerNorm(2), Linear(2, 2)), Widen()),
        ),
        (
            "weights in bf16, and no mixed precision",
            lambda: _to_probe("no", Linear(2, 2, dtype=torch.bfloat16)),
        ),
        (
            "weights in fp16, bf16 asked for",
            lambda: _to_probe("bf16", Linear(2, 2, dtype=torch.float16)),
        ),
        (
            "bf16 asked for, and the model keeps its layer out of it",
            lambda: _to_probe("bf16", KeptOut(Linear(2, 2))),
        ),
    ]
    compare("4.1", answer, _computed_in, cases, _cause_of_4_1, _probed)


class Widen(torch.nn.Module):
    """Gives float32, whatever comes."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the values in float32."""
        return values.float()


class KeptOut(torch.nn.Module):
    """Has a layer that computes without autocast."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Switch autocast off, and ask the layer."""
        with torch.autocast("cpu", enabled=False):
            return self.layer(values)


class Stack(torch.nn.Module):
    """One layer after another; notes in each forward pass whether autocast is on."""

    def __init__(self, *layers: torch.nn.Module) -> None:
        super().__init__()
        self.layers = Sequential(*layers)
        self.passes: list[bool] = []

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Note, and go through the layers."""
        self.passes.append(torch.is_autocast_enabled("cpu"))
        return self.layers(inputs)


def _to_probe(precision: str, *layers: torch.nn.Module, by_hand: bool = False) -> tuple:
    accelerator = Accelerator(cpu=True, mixed_precision=precision)
    if by_hand:  # what Accelerate does on a GPU
        accelerator.native_amp = True
    takes_rows = isinstance(layers[0], Embedding)
    dtype = next(layers[0].parameters()).dtype
    inputs = torch.tensor([0, 3]) if takes_rows else torch.ones(1, 2, dtype=dtype)
    return accelerator, Stack(*layers), inputs


@reference
def _computed_in(accelerator: Accelerator, model: Stack, inputs: torch.Tensor) -> torch.dtype:
    found: list[torch.dtype] = []
    layer = next(module for module in model.modules() if isinstance(module, Linear))
    hook = layer.register_forward_hook(lambda _, __, outputs: found.append(outputs.dtype))
    accelerator.prepare(model)(inputs)
    hook.remove()
    return found[0]


def _probed(arguments: tuple, value: Any) -> dict[str, Any]:
    _, model, _ = arguments
    return {
        COMPUTED: value if value is None else str(value).removeprefix("torch."),
        PASSES: _passes(model),
        HOOKS: sum(len(module._forward_hooks) for module in model.modules()),
    }


def _passes(model: Stack) -> str:
    if not model.passes:
        return "none"
    return "with autocast" if any(model.passes) else "without autocast"


def _cause_of_4_1(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    accelerator, model, _ = arguments
    found, asked = got[COMPUTED], accelerator.mixed_precision
    if found is None:
        return NOTHING
    if found in ("no", "fp16", "bf16", "fp32"):
        return (
            "That is Accelerate's word for what you asked for. Wanted is the `dtype` of what a "
            "linear layer gives."
        )
    if not hasattr(torch, found):
        return "Wanted is a `dtype`, such as `torch.float32`."
    if found != expected[COMPUTED] and found == {"fp16": "float16", "bf16": "bfloat16"}.get(asked):
        return f"{asked} is what was asked for. What did the linear layer do?"
    if got[PASSES] == "none":
        return (
            "Your function makes no forward pass of this model, so nothing computes. Weights and "
            "settings look the same whether the products are in 16 bits or not."
        )
    if found == expected[COMPUTED] and got[PASSES] == expected[PASSES]:
        return (
            "The type is right. The hook stays on the layer and runs at each later pass: "
            "`register_forward_hook` returns an object with `remove()`."
        )
    if got[PASSES] != expected[PASSES]:
        return (
            "Accelerate wraps `forward` when it prepares a model. The model that you called was "
            "not prepared."
        )
    weights = str(next(model.parameters()).dtype).removeprefix("torch.")
    if found == weights != "float32":
        return "That is how the weights are stored. Autocast converts them for the product."
    return (
        "float32 is what goes in and what comes out: Accelerate converts what `forward` returns, "
        "and other layers may give float32 too. Ask a `torch.nn.Linear` inside, by a hook: its "
        "third argument is the output."
    )


NOT, MIXED, STORED, UNKNOWN = "not fp16", "mixed fp16", "all fp16", "cannot tell"
LOSSES = (0.7101, 0.6935, 0.6702)  # in fp32
CLOSE = (0.7101, 0.6934, 0.6704)
NEARLY = (0.7101, 0.69350004, 0.67020001)


def fp16_verdict(answer: Callable) -> None:
    """Check exercise 4.2: what a run's record proves about fp16."""
    half, full, brain = torch.float16, torch.float32, torch.bfloat16
    records = [
        ("an fp32 run", ("no", False, full, full, LOSSES)),
        ("fp16 on a GPU", ("fp16", True, full, half, CLOSE)),
        ("fp16 on a CPU", ("fp16", False, full, full, LOSSES)),
        ("bf16", ("bf16", True, full, brain, CLOSE)),
        ("a model after `half()`", ("no", False, half, half, CLOSE)),
        ("fp16 weights, and bf16 asked for", ("bf16", True, half, brain, CLOSE)),
        ("fp16 weights, and fp16 asked for", ("fp16", True, half, half, CLOSE)),
        ("autocast by hand, Accelerate not asked", ("no", False, full, half, CLOSE)),
        ("fp16 asked for, the layer kept out of it", ("fp16", True, full, full, LOSSES)),
        ("fp16 on a CPU, without a probe", ("fp16", False, full, None, LOSSES)),
        ("fp16 on a GPU, without a probe", ("fp16", True, full, None, CLOSE)),
        ("no probe, losses equal to six digits", ("fp16", True, full, None, NEARLY)),
        ("fp16 weights, without a probe", ("bf16", True, half, None, CLOSE)),
        ("neither probe nor losses", ("fp16", False, full, None, ())),
    ]
    cases: list[Case] = [(words, partial(_record, *record)) for words, record in records]
    compare("4.2", answer, _fp16_verdict, cases, _cause_of_4_2)


def _record(
    asked: str,
    native_amp: bool,
    weights: torch.dtype,
    layer: torch.dtype | None,
    losses: Sequence[float],
) -> tuple:
    record = {
        "mixed_precision": asked,
        "native_amp": native_amp,
        "weights": weights,
        "layer": layer,
        "losses": list(losses),
    }
    return record, list(LOSSES[: len(losses)])


@reference
def _fp16_verdict(record: dict[str, Any], fp32_losses: list[float]) -> str:
    if record["layer"] is None:
        equal = record["losses"] and record["losses"] == fp32_losses
        return NOT if equal else UNKNOWN
    if record["layer"] != torch.float16:
        return NOT
    return STORED if record["weights"] == torch.float16 else MIXED


def _cause_of_4_2(arguments: tuple, expected: str, got: Any) -> str:
    record, _ = arguments
    if got is None:
        return NOTHING
    if got not in (NOT, MIXED, STORED, UNKNOWN):
        return f"Wanted is one of four strings: {NOT!r}, {MIXED!r}, {STORED!r}, {UNKNOWN!r}."
    if record["layer"] is None:
        return _cause_without_probe(record, expected, got)
    if got == UNKNOWN:
        return "There is a probe, `layer`, and a probe decides."
    if expected == MIXED:
        if got == STORED:
            return "The weights are in fp32 here: only the products are in fp16."
        return "The layer computed in fp16, whoever asked for it. Ask the layer, not the settings."
    if expected == STORED:
        if got == MIXED:
            return "Nothing is mixed here: the weights are in fp16 too."
        return "The layer computed in fp16, and no autocast was needed: the weights are in fp16."
    if record["weights"] == torch.float16:
        return "That is how the weights are stored. Autocast converts them, and here to bf16."
    if record["mixed_precision"] == "bf16":
        return "Autocast was on, but not for fp16: it is on for bf16 too. The layer says for what."
    if record["native_amp"]:
        return "fp16 was asked for and autocast was on. Still, the layer computed in fp32."
    return "fp16 is what was asked for. The layer computed in fp32."


def _cause_without_probe(record: dict[str, Any], expected: str, got: str) -> str:
    losses = record["losses"]
    if expected == NOT:
        return "Every loss is equal to fp32's, to the last digit. Other precisions leave a trace."
    if not losses:
        return "Nothing was measured: two empty lists are equal, and a setting is no evidence."
    if got == NOT and same(losses, list(NEARLY)):
        return "These losses are close to fp32's, not equal. fp16 may be as close: compare by `==`."
    if got == NOT:
        return (
            "Nobody probed, and that proves nothing. These losses differ from fp32's, as fp16's do."
        )
    if record["weights"] == torch.float16:
        return "That is how the weights are stored. In what the layers computed, nobody knows."
    return (
        "That it was not fp32 is all that different losses say. They would differ in bf16 as "
        "well, and a setting is no evidence."
    )


def largest_difference(answer: Callable) -> None:
    """Check exercise 4.3: how far bf16's losses part from fp32's."""
    cases: list[Case] = [
        ("one batch", lambda: _to_train([(1.2, 3.0)])),
        ("four batches", lambda: _to_train(FOUR)),
        (
            "five batches",
            lambda: _to_train(FIVE),
        ),
        ("seven samples in batches of two", lambda: _to_train(SEVEN, batch_size=2)),
        ("no batch", lambda: _to_train([])),
    ]
    compare("4.3", answer, _largest_difference, cases, _cause_of_4_3)


FOUR = [(1.0, 1.5), (1.1, 3.0), (1.2, -3.0), (0.7, 1.1)]
FIVE = [(0.3, 2.0), (1.7, 3.0), (2.1, 1.0), (0.9, 4.0), (1.0, 0.0)]
SEVEN = [(1.1, 2.0), (0.4, 1.0), (1.9, 3.0), (0.6, -1.0), (1.4, 0.5), (0.8, 2.5), (1.5, 1.0)]


class Line(torch.nn.Module):
    """One weight; called with rows of input and target, gives the mean squared error."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = Linear(1, 1, bias=False)
        torch.nn.init.constant_(self.linear.weight, 0.71)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the loss of a batch."""
        return (self.linear(rows[:, :1]).float() - rows[:, 1:]).square().mean()


def _to_train(rows: Sequence[tuple[float, float]], batch_size: int = 1) -> tuple:
    loader = DataLoader(torch.tensor(rows).reshape(-1, 2), batch_size)
    return Line, loader, 0.05


@reference
def _largest_difference(make_model: Callable, loader: DataLoader, learning_rate: float) -> float:
    full = _losses(make_model(), loader, learning_rate, "no")
    half = _losses(make_model(), loader, learning_rate, "bf16")
    return max((abs(one - other) for one, other in zip(full, half, strict=True)), default=0.0)


def _losses(
    model: torch.nn.Module,
    loader: DataLoader,
    learning_rate: float,
    precision: str,
    clears: bool = True,
) -> list[float]:
    """Train for an epoch in one precision; return the losses."""
    reset_accelerate()
    accelerator = Accelerator(mixed_precision=precision)
    optimizer = SGD(model.parameters(), lr=learning_rate)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        loss = model(batch)
        accelerator.backward(loss)
        optimizer.step()
        if clears:
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def _cause_of_4_3(arguments: tuple, expected: float, got: Any) -> str:
    if got is None:
        return NOTHING
    if isinstance(got, list | tuple):
        return "Wanted is one number: the largest of the differences."
    if not len(arguments[1]):
        return "Without a batch there is no difference: 0.0."
    return _named(_differences(*arguments), got) or (
        "Two runs over the same loader with SGD, each from a model of `make_model()`: one in fp32, "
        "one in bf16. Compare them loss by loss."
    )


def _differences(make_model: Callable, loader: DataLoader, learning_rate: float) -> Mistakes:
    """Return wrong results, and what is said to each."""

    def run(model: torch.nn.Module, precision: str, **options: Any) -> list[float]:
        return _losses(model, loader, options.pop("rate", learning_rate), precision, **options)

    def apart(one: list[float], other: list[float]) -> list[float]:
        return [abs(a - b) for a, b in zip(one, other, strict=True)]

    full, half = run(make_model(), "no"), run(make_model(), "bf16")
    gaps = apart(full, half)
    once, again = make_model(), make_model()
    goes_on = apart(run(once, "no"), run(once, "bf16")), apart(run(again, "bf16"), run(again, "no"))
    still = [run(make_model(), precision, rate=0.0) for precision in ("no", "bf16")]
    kept = [run(make_model(), precision, clears=False) for precision in ("no", "bf16")]
    signed = [a - b for a, b in zip(full, half, strict=True)]
    trained = "The second run begins where the first one ended. Make a new model for each."
    sign = "Differences have two directions. Take `abs` of each, then the largest."
    return (
        (0.0, SAME_RUN),
        (max(goes_on[0]), trained),
        (max(goes_on[1]), trained),
        (gaps[-1], "That is the difference of the last losses. It may be larger before."),
        (gaps[0], "That is the difference of the first losses, before any update."),
        (sum(gaps) / len(gaps), "That is the mean of the differences. The largest is wanted."),
        (sum(gaps), "That is the sum of the differences. The largest is wanted."),
        (
            abs(sum(full) - sum(half)) / len(gaps),
            "That is the difference of the mean losses, in which differences cancel.",
        ),
        (
            abs(max(full) - max(half)),
            "That compares the largest loss of each run. Compare loss by loss.",
        ),
        (max(signed), sign),
        (-min(signed), sign),
        (max(apart(*still)), "Nothing was trained: where is `optimizer.step()`?"),
        (max(apart(*kept)), "The gradients of earlier batches are still there: `zero_grad`."),
    )


SAME_RUN = (
    "No difference at all: both runs were in one precision. Was it given to `Accelerator`, and "
    "the model prepared? A model that was prepared once is not wrapped again: make a new one for "
    "each run. And fp16 on a CPU is no other precision."
)


def scaled_norms(answer: Callable) -> None:
    """Check exercise 4.4: the true norm of each batch, and clipping at the right moment."""
    cases: list[Case] = [
        ("one batch, below the limit", lambda: _to_scale([(0.3, 0.4)])),
        ("one batch, above the limit", lambda: _to_scale([(3.0, 4.0)])),
        ("one batch, which overflows", lambda: _to_scale([(HUGE, 1)])),
        ("three batches", lambda: _to_scale([(3.0, 4.0), (0.0, 0.5), (8.0, 6.0)])),
        ("the second of three overflows", lambda: _to_scale([(3.0, 4.0), (HUGE, 1), (0.6, 0.8)])),
        ("four batches, a limit of 5", lambda: _to_scale([(6, 8), (3, 4), (1, 0), (0, 9)], 5.0)),
        ("no batch", lambda: _to_scale([])),
    ]
    compare("4.4", answer, _scaled_norms, cases, _cause_of_4_4, _scaling)


HUGE = 1e37  # with a loss scale, more than fp32 can hold


class TwoWeights(torch.nn.Module):
    """Called with rows of two numbers: the gradient of the loss is the mean row."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.nn.Parameter(torch.zeros(2))
        self.left = 0  # forward passes that find a gradient

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Note what is left, and return the loss of a batch."""
        self.left += self.weights.grad is not None and bool(self.weights.grad.any())
        return (rows * self.weights).sum(dim=1).mean()


def _to_scale(rows: Sequence[tuple[float, float]], max_norm: float = 1.0) -> tuple:
    model = TwoWeights()
    loader = DataLoader(torch.tensor(rows, dtype=torch.float32).reshape(-1, 2), batch_size=1)
    # A growth interval of one: the scale doubles after each good update.
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=1)
    return model, Recording(model.parameters(), lr=0.1), loader, scaler, max_norm


@reference
def _scaled_norms(model, optimizer, loader, scaler, max_norm: float) -> list[float]:
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item())
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    return norms


def _scaling(arguments: tuple, value: Any) -> dict[str, Any]:
    model, optimizer, _, scaler, _ = arguments
    return {
        LEFT: model.left,
        NORMS: value,
        GRADIENTS: optimizer.gradients,
        SCALE: scaler.get_scale(),
    }


def _cause_of_4_4(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    _, _, loader, scaler, max_norm = arguments
    norms, gradients = got[NORMS], got[GRADIENTS]
    wrong = next(entry for entry in expected if not same(got[entry], expected[entry]))
    if wrong == LEFT:
        return "The gradient of the batch before is still there: `optimizer.zero_grad()`."
    if wrong == NORMS:
        return _cause_of_norms(expected[NORMS], max_norm, scaler.get_scale(), norms)
    if wrong == GRADIENTS:
        return _cause_of_clipping(
            loader, max_norm, scaler.get_scale(), expected[GRADIENTS], gradients
        )
    if math.inf in expected[NORMS]:
        return "`scaler.update()` once a batch, after a skipped step as well: it halves the scale."
    return "`scaler.update()` once a batch: after a good one it may raise the scale."


def _cause_of_norms(expected: list[float], max_norm: float, scale: float, got: Any) -> str:
    if got is None:
        return NOTHING
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        return f"Wanted is a list with one norm a batch, here {len(expected)}."
    first = expected[:1]
    mistakes = (
        (
            [norm * scale for norm in first],
            "Times the scale: these gradients still have it in them. First unscale, then clip.",
        ),
        (
            [norm / scale for norm in first],
            "Over the scale: `unscale_` divides, and nothing was multiplied. Call `backward` on "
            "`scaler.scale(loss)`.",
        ),
        (
            [min(norm, max_norm) for norm in first],
            "That is the norm after clipping. `clip_grad_norm_` returns the one before.",
        ),
        (
            [norm**2 for norm in first],
            "That is the norm's square.",
        ),
    )
    return _named(mistakes, list(got[:1])) or (
        "The order for each batch: scaled backward, unscale, clip, step, update, clear."
    )


def _cause_of_clipping(
    loader: DataLoader,
    max_norm: float,
    scale: float,
    expected: list[list[float]],
    got: list[list[float]],
) -> str:
    rows = [batch.mean(dim=0).tolist() for batch in loader]
    if len(got) > len(expected):
        return (
            "An update was made with a gradient that is infinite. `scaler.step(optimizer)` leaves "
            "it out; `optimizer.step()` does not ask."
        )
    if len(got) < len(expected):
        return "Fewer updates than good batches. `scaler.step(optimizer)` once a batch."
    if not got:
        return "No batch, no update."
    mistakes = (
        (
            rows[0],
            "The norm is right and nothing is clipped when the update is made: clip before the "
            "step.",
        ),
        (
            [number * scale for number in rows[0]],
            "The update is made with the scale in the gradient. `scaler.step` or `unscale_` "
            "takes it out.",
        ),
        (
            [number * max_norm / math.hypot(*rows[0]) / scale for number in rows[0]],
            "The gradient was clipped with the scale in it, and the scale was taken out "
            "afterwards. First unscale, then clip.",
        ),
        (
            [number / scale for number in expected[0]],
            "Too short by the scale: it was taken out twice.",
        ),
    )
    return _named(mistakes, got[0]) or "Clip to `max_norm`, after `unscale_` and before the step."
