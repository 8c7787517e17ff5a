"""The course's training loop behind one command line: `python train.py --help`.

It runs unchanged under `python`, `torchrun` and `accelerate launch`, with one process or many, on
CPU or GPU, under DDP or FSDP. Chapter 7 starts it, chapter 8 interrupts it.
"""

import argparse
import hashlib
import json
import math
import os
import shutil
from pathlib import Path

import torch
from accelerate import Accelerator, DataLoaderConfiguration, skip_first_batches
from accelerate.utils import set_seed
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import AutoTokenizer, BertForSequenceClassification, DataCollatorWithPadding

from helpers.checkpoint import model_name, tokenizer_name
from helpers.data import load_reviews
from helpers.notebook import quiet

MANIFEST = "manifest.json"  # written last: the names, sizes and digests of a checkpoint's files


class Position:
    """Where a run stands: `save_state` stores it, once it is registered for checkpointing."""

    def __init__(self) -> None:
        self.epoch = self.micro_batch = self.update = 0

    def state_dict(self) -> dict[str, int]:
        """Return the position as a dictionary."""
        return vars(self).copy()

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go to a stored position."""
        vars(self).update(state)


class Metrics:
    """Writes JSON lines; after a resume, goes on behind the position of the checkpoint."""

    def __init__(self, path: Path | None = None, position: Position | None = None) -> None:
        """Without a path, write nothing."""
        self.path = path
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = []
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # the process was killed while it wrote this line
            reached = row["epoch"] < position.epoch or "loss" in row
            if row["update"] <= position.update and reached:
                kept.append(line + "\n")
        partial = path.with_name(f".{path.name}.partial")
        partial.write_text("".join(kept), encoding="utf-8")
        partial.replace(path)

    def write(self, **row: float) -> None:
        """Append a row."""
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row) + "\n")


class Checkpoints:
    """A folder of checkpoints. With several machines, it must be one that all of them see.

    A checkpoint is written under a hidden name, gets a manifest of its files, and is renamed at the
    end. So a folder `update-…` is whole, whenever the run was killed.
    """

    def __init__(self, accelerator: Accelerator, options: argparse.Namespace) -> None:
        self.accelerator, self.folder = accelerator, options.checkpoints
        self.keep = options.keep
        names = ("reviews", "batch_size", "accumulate", "epochs", "warm_up", "scheduler", "seed")
        self.settings = {name: getattr(options, name) for name in names}
        self.settings["processes"] = accelerator.num_processes

    def save(self, update: int) -> None:
        """Store the run's state as `update-…`, and forget the oldest checkpoints."""
        if self.folder is None:
            return
        whole = self.folder / f"update-{update:06}"
        partial = whole.with_name(f".{whole.name}.partial")
        self.accelerator.wait_for_everyone()
        if whole.exists():
            return
        if self.accelerator.is_main_process:
            for left in self.folder.glob(".update-*"):  # by a run that was killed
                shutil.rmtree(left)
            partial.mkdir(parents=True)
        self.accelerator.wait_for_everyone()
        self.accelerator.save_state(str(partial))
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            files = {
                str(path.relative_to(partial)): digest(path)
                for path in sorted(partial.rglob("*"))
                if path.is_file()
            }
            manifest = {"settings": self.settings, "files": files}
            (partial / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
            partial.rename(whole)
            for old in self.stored()[: -self.keep]:
                shutil.rmtree(old.rename(old.with_name(f".{old.name}.partial")))

    def stored(self) -> list[Path]:
        """Return the whole checkpoints, oldest first."""
        return sorted(self.folder.glob("update-*"))

    def load_newest(self) -> None:
        """Load the newest checkpoint, if there is one; exit with a message if it is damaged."""
        stored = self.stored()
        if not stored:
            self.accelerator.print(f"no checkpoint in {self.folder.name}/: from the beginning")
            return
        newest = stored[-1]
        check(newest, self.settings)
        self.accelerator.load_state(str(newest))
        self.accelerator.print(f"resumed from {newest.name}")


def check(checkpoint: Path, settings: dict) -> None:
    """Exit with a message if a file of the checkpoint is damaged, or was made in another run."""
    remedy = f"Move {checkpoint.name} away to resume from the one before it. Nothing was changed."
    try:
        manifest = json.loads((checkpoint / MANIFEST).read_text(encoding="utf-8"))
        files, stored = manifest["files"].items(), manifest["settings"]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        raise SystemExit(f"{checkpoint / MANIFEST} is missing or damaged. {remedy}") from None
    for name, expected in files:
        path = checkpoint / name
        if not path.is_file():
            raise SystemExit(f"{path} is missing. {remedy}")
        if digest(path) != expected:
            raise SystemExit(f"{path} is damaged: it is not the file that was saved. {remedy}")
    for name, value in settings.items():
        if stored.get(name) != value:
            raise SystemExit(
                f"{checkpoint.name} was made with {name} {stored.get(name)}, and this run has "
                f"{value}: the rest of the run would be another one. Give the same settings, or "
                "begin anew in another folder."
            )


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """Read the command line; exits with a message when an argument makes no sense."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--reviews", type=positive, default=800, help="training reviews")
    add("--validation", type=positive, default=500, help="validation reviews")
    add("--batch-size", type=positive, default=16, help="reviews in a micro-batch, per process")
    add("--accumulate", type=positive, default=1, help="micro-batches in a window")
    add("--epochs", type=positive, default=1, help="passes over the training reviews")
    add("--learning-rate", type=float, default=5e-5, help="peak learning rate of AdamW")
    add("--warm-up", type=int, default=0, help="updates until the peak")
    add("--scheduler", choices=["constant", "linear"], default="constant", help="after the peak")
    add("--clip", type=float, default=None, help="largest gradient norm; off when left out")
    add("--precision", choices=["no", "bf16", "fp16"], default=None,
        help="mixed precision; left out, what the launcher says")  # fmt: skip
    add("--seed", type=int, default=0, help="of the new head, and of the order of the reviews")
    add("--metrics", type=Path, default=None, help="write JSON lines to this file")
    add("--checkpoints", type=Path, default=None, help="write checkpoints into this folder")
    add("--every", type=positive, default=10, help="updates between two checkpoints")
    add("--keep", type=positive, default=2, help="checkpoints to keep, the newest ones")
    add("--resume", action="store_true", help="go on from the newest checkpoint, if there is one")
    chosen = parser.parse_args(given)
    if chosen.resume and chosen.checkpoints is None:
        parser.error("--resume needs --checkpoints FOLDER, to know where to look")
    if not chosen.resume and int(os.environ.get("RANK", 0)) == 0:
        if chosen.metrics is not None and chosen.metrics.exists():
            parser.error(f"{chosen.metrics} exists. Give --resume, or another file")
        if chosen.checkpoints is not None and any(chosen.checkpoints.glob("update-*")):
            parser.error(f"{chosen.checkpoints}/ is in use. Give --resume, or another folder")
    return chosen


def positive(text: str) -> int:
    """Return `text` as an integer of at least 1; argparse reports the error."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


def rate(update: int, warm_up: int, total: int, shape: str) -> float:
    """Return the share of the peak learning rate for an update, counted from 0."""
    if update < warm_up:
        return (update + 1) / warm_up
    return max(0.0, (total - update) / (total - warm_up)) if shape == "linear" else 1.0


def prepare_reviews(options: argparse.Namespace):
    """Return the tokenised training and validation reviews, and what makes a batch of them."""
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_name())
    reviews = load_reviews(train=options.reviews, validation=options.validation).map(
        lambda rows: tokenizer(rows["sentence"], truncation=True, max_length=64),
        batched=True,
        remove_columns=["sentence", "idx"],
    )
    reviews = reviews.rename_column("label", "labels")
    return reviews["train"], reviews["validation"], DataCollatorWithPadding(tokenizer)


def evaluate(model, loader, accelerator: Accelerator) -> dict[str, float]:
    """Return loss (nats per review) and accuracy over all reviews, whoever holds them."""
    model.eval()
    losses, right = [], []
    with torch.no_grad():
        for batch in loader:
            logits = model(**batch).logits
            each = torch.nn.functional.cross_entropy(logits, batch["labels"], reduction="none")
            hits = (logits.argmax(dim=-1) == batch["labels"]).float()
            each, hits = accelerator.gather_for_metrics((each, hits))  # drops the duplicates
            losses.append(each)
            right.append(hits)
    model.train()
    return {
        "validation_loss": torch.cat(losses).mean().item(),
        "validation_accuracy": torch.cat(right).mean().item(),
    }


def train(options: argparse.Namespace) -> None:
    """Run the loop from its beginning or from the newest checkpoint."""
    set_seed(options.seed)  # the same on each rank, for the new head
    accelerator = Accelerator(
        mixed_precision=options.precision,
        gradient_accumulation_steps=options.accumulate,
        dataloader_config=DataLoaderConfiguration(
            use_seedable_sampler=True, data_seed=options.seed
        ),
    )
    steps = accelerator.gradient_accumulation_steps  # a launcher's environment may overrule ours
    train_set, validation_set, collate = prepare_reviews(options)
    model = BertForSequenceClassification.from_pretrained(model_name(), num_labels=2)
    optimizer = AdamW(model.parameters(), lr=options.learning_rate)
    # Incomplete batches are dropped, so that every update sees the same number of reviews.
    loader = DataLoader(
        train_set, options.batch_size, shuffle=True, collate_fn=collate, drop_last=True
    )
    validation = DataLoader(validation_set, options.batch_size, collate_fn=collate)
    model, optimizer, loader, validation = accelerator.prepare(model, optimizer, loader, validation)
    if len(loader) == 0:
        raise SystemExit(
            f"{options.reviews} reviews are too few for one batch of {options.batch_size} on each "
            f"of {accelerator.num_processes} processes. Give more --reviews or less --batch-size."
        )
    updates = math.ceil(len(loader) / steps) * options.epochs
    # A prepared scheduler steps once for each process at every update: `total` is in those steps.
    ranks = accelerator.num_processes
    scheduler = accelerator.prepare(
        LambdaLR(
            optimizer,
            lambda step: rate(step // ranks, options.warm_up, updates, options.scheduler),
        )
    )
    position = Position()
    accelerator.register_for_checkpointing(position)
    checkpoints = Checkpoints(accelerator, options)
    if options.resume:
        checkpoints.load_newest()
    metrics = Metrics(options.metrics, position) if accelerator.is_main_process else Metrics()
    bar = tqdm(total=updates, initial=position.update, disable=not accelerator.is_main_process)

    model.train()
    for epoch in range(position.epoch, options.epochs):
        loader.set_epoch(epoch)  # the order of an epoch depends on the seed and its number
        done = position.micro_batch
        losses = []
        rest = skip_first_batches(loader, done) if done else loader
        for micro_batch, batch in enumerate(rest, start=done):
            window = min(steps, len(loader) - micro_batch // steps * steps)
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                # `backward` divides by the configured window; the last one may be shorter.
                accelerator.backward(loss * steps / window)
                if accelerator.sync_gradients and options.clip is not None:
                    accelerator.clip_grad_norm_(model.parameters(), options.clip)
                optimizer.step()
                learning_rate = optimizer.param_groups[0]["lr"]
                scheduler.step()
                optimizer.zero_grad()
            losses.append(loss.detach())
            if not accelerator.sync_gradients:
                continue
            position.update += 1
            position.micro_batch = micro_batch + 1
            mean = accelerator.reduce(torch.stack(losses).mean(), "mean").item()
            losses = []
            metrics.write(epoch=epoch, update=position.update, loss=mean, lr=learning_rate)
            bar.update()
            if position.update % options.every == 0:
                checkpoints.save(position.update)
        found = evaluate(model, validation, accelerator)
        metrics.write(epoch=epoch, update=position.update, **found)
        position.epoch, position.micro_batch = epoch + 1, 0
    checkpoints.save(position.update)
    bar.close()
    # The wrapped model has to go before its process group does: the other way round, gloo's threads
    # and Python's interpreter lock may wait for each other for ever (torch 2.13).
    del model
    accelerator.free_memory()
    accelerator.end_training()  # leaves the process group; without it, a rank may die at its exit


if __name__ == "__main__":
    quiet()
    train(arguments())
