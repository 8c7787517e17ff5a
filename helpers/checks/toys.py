"""Small objects that checks hand to an answer, and that note what it does with them."""

from collections import Counter
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import torch
from accelerate import Accelerator
from torch.optim import SGD
from torch.utils.data import DataLoader


class Classifier(torch.nn.Module):
    """Two numbers in, two classes out; called like a model of transformers, with labels."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> SimpleNamespace:
        """Return an object with `loss`, the mean over the samples, and `logits`."""
        logits = self.linear(inputs)
        return SimpleNamespace(
            loss=torch.nn.functional.cross_entropy(logits, labels), logits=logits
        )


class Counting(Accelerator):
    """Counts what is asked of it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(cpu=True, **options)
        self.calls: Counter = Counter()

    def backward(self, loss: torch.Tensor, **options: Any) -> None:
        """Count, and do as usual."""
        self.calls["backward"] += 1
        super().backward(loss, **options)

    def prepare_optimizer(self, *arguments: Any, **options: Any) -> Any:
        """Count, and do as usual."""
        self.calls["optimizers"] += 1
        return super().prepare_optimizer(*arguments, **options)

    def prepare_data_loader(self, *arguments: Any, **options: Any) -> Any:
        """Count, and do as usual."""
        self.calls["loaders"] += 1
        return super().prepare_data_loader(*arguments, **options)


class Recording(SGD):
    """Notes, at each update, the gradients (flat, parameters in order) and the learning rate."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter], lr: float) -> None:
        super().__init__(parameters, lr=lr)
        self.gradients: list[list[float]] = []
        self.rates: list[float] = []

    def step(self, closure: Callable | None = None) -> Any:
        """Note, and do as usual."""
        group = self.param_groups[0]
        self.gradients.append(
            [
                number
                for values in group["params"]
                if values.grad is not None
                for number in values.grad.flatten().tolist()
            ]
        )
        self.rates.append(group["lr"])
        return super().step(closure)


def parts(samples: int, batch_size: int, **options: Any) -> tuple:
    """Return accelerator, model, optimizer and loader for a case, not prepared."""
    torch.manual_seed(samples)
    inputs = torch.randn(samples, 2)
    rows = [
        {"inputs": row, "labels": int(row.sum() > 0 if number % 3 else row.sum() < 0)}
        for number, row in enumerate(inputs)
    ]
    model = Classifier()
    optimizer = Recording(model.parameters(), lr=0.5)
    return Counting(**options), model, optimizer, DataLoader(rows, batch_size=batch_size)
