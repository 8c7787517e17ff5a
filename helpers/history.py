"""What happened at each micro-batch of a training run, kept without slowing the run down."""

import json
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import torch

from helpers.source import course_source

COLUMNS = ("loss", "learning_rate", "updated", "samples", "seconds")


class History:
    """The record of one run: one row for each micro-batch.

    `record` keeps the loss as a detached tensor and does not read its value: reading it (`.item()`)
    would make the CPU wait for the GPU at every micro-batch. The values are read when asked for.
    """

    def __init__(self, name: str, accelerator=None, **settings) -> None:
        """Start the clock. `settings` are kept beside the versions: they too made the run."""
        self.name = name
        self.made_by = {package: version(package) for package in ("torch", "accelerate")}
        self.made_by["source"] = course_source()
        if accelerator is not None:
            self.made_by["device"] = accelerator.device.type
            self.made_by["mixed_precision"] = accelerator.mixed_precision
            self.made_by["num_processes"] = accelerator.num_processes
        self.made_by.update(settings)
        self.results: dict[str, float] = {}
        self.learning_rates: list[float] = []
        self.updated: list[bool] = []
        self.seconds: list[float] = []
        self._losses: list[torch.Tensor | float] = []
        self._samples: list[torch.Tensor | int] = []
        self._started = perf_counter()

    def record(self, loss: torch.Tensor, optimizer, *, samples, updated: bool = True) -> None:
        """Add a row.

        `loss` is the micro-batch's mean loss (a tensor with one element), `samples` its number of
        samples (an integer, or a tensor with one element, which is not read yet), `updated`
        whether the optimizer has just updated the weights. The learning rate is read from the
        first parameter group, so call this before `scheduler.step()`.
        """
        self._losses.append(loss.detach())
        self.learning_rates.append(optimizer.param_groups[0]["lr"])
        self.updated.append(bool(updated))
        self._samples.append(samples)
        self.seconds.append(perf_counter() - self._started)

    @property
    def losses(self) -> list[float]:
        """The mean loss of each micro-batch, in nats."""
        if self._losses and isinstance(self._losses[-1], torch.Tensor):
            self._losses = torch.stack([torch.as_tensor(loss) for loss in self._losses]).tolist()
        return list(self._losses)

    @property
    def samples(self) -> list[int]:
        """The number of samples of each micro-batch."""
        self._samples = [int(samples) for samples in self._samples]
        return list(self._samples)

    @property
    def updates(self) -> int:
        """The number of optimizer updates."""
        return sum(self.updated)

    def update_losses(self) -> list[float]:
        """Return the mean loss over the samples of each window that ended in an update."""
        means, total, count = [], 0.0, 0
        for loss, samples, updated in zip(self.losses, self.samples, self.updated, strict=True):
            total, count = total + loss * samples, count + samples
            if updated:
                means.append(total / count)
                total, count = 0.0, 0
        return means

    def save(self, path: str | Path) -> None:
        """Write the run as JSON, with what made it; make the folder if there is none."""
        rows = (self.losses, self.learning_rates, self.updated, self.samples, self.seconds)
        columns = dict(zip(COLUMNS, rows, strict=True))
        # Six decimals: beyond them the same run differs from one processor to the next.
        columns["loss"] = [round(loss, 6) for loss in columns["loss"]]
        columns["seconds"] = [round(seconds, 3) for seconds in columns["seconds"]]
        fields = {"name": self.name, "made_by": self.made_by, "results": self.results, **columns}
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items()]
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "History":
        """Read a run that `save` wrote; raise FileNotFoundError, or ValueError if damaged."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(
                f"There is no run {path.name} in {path.parent.name}/. The stored runs lie in "
                "notebooks/reference_runs/, your own in notebooks/my_runs/ once you have run the "
                "chapter that saves them."
            )
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            history = cls(fields["name"])
            history.made_by, history.results = fields["made_by"], fields["results"]
            rows = [fields[column] for column in COLUMNS]
            if len({len(row) for row in rows}) != 1:
                raise ValueError("its columns differ in length")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path.name} is not a run that History.save wrote ({error!r}). Delete it and run "
                "the chapter that saves it again."
            ) from None
        history._losses, history.learning_rates, history.updated = rows[:3]
        history._samples, history.seconds = rows[3:]
        return history
