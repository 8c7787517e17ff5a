"""How fast is the course's loop? Run by hand: `python -m tests.benchmark_loops`.

Five loops over the same 1,600 reviews, interleaved, five rounds; each loop's median time is given
as a ratio to the floor, a bare loop over batches made beforehand. Ratios of one run compare;
seconds from two runs do not.
"""

import argparse
import statistics
import tempfile
from time import perf_counter

import torch
from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import (
    AutoTokenizer,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PrinterCallback,
    Trainer,
    TrainingArguments,
)

from helpers.checkpoint import model_name, tokenizer_name
from helpers.data import load_reviews
from helpers.history import History
from helpers.notebook import quiet, reset_accelerate
from tests.chapters import chapter, loop_cell

LEARNING_RATE, BATCH = 5e-5, 16


def fresh() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """Return the model that every loop starts from, and its optimizer."""
    torch.manual_seed(0)
    model = BertForSequenceClassification.from_pretrained(model_name(), num_labels=2)
    return model, AdamW(model.parameters(), lr=LEARNING_RATE)


def loader_for(reviews, collate) -> DataLoader:
    """Return chapter 1's loader."""
    order = torch.Generator().manual_seed(0)
    return DataLoader(reviews, BATCH, shuffle=True, collate_fn=collate, generator=order)


def plain_steps(model, optimizer, batches) -> None:
    """Train on `batches`, an iterable, in plain PyTorch."""
    model.train()
    for batch in batches:
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def floor(reviews, collate) -> float:
    """Time the bare loop: the batches are made before the clock starts."""
    model, optimizer = fresh()
    batches = list(loader_for(reviews, collate))
    started = perf_counter()
    plain_steps(model, optimizer, batches)
    return perf_counter() - started


def plain(reviews, collate) -> float:
    """Time plain PyTorch with a loader."""
    model, optimizer = fresh()
    started = perf_counter()
    plain_steps(model, optimizer, loader_for(reviews, collate))
    return perf_counter() - started


def chapter_1(reviews, collate) -> float:
    """Time the loop that stands in chapter 1, by its own History."""
    names = globals() | {"collate": collate, "Accelerator": Accelerator, "History": History}
    exec(loop_cell(chapter(1)).source, names)
    reset_accelerate()
    _, history = names["train"](reviews, batch_size=BATCH, learning_rate=LEARNING_RATE)
    return history.seconds[-1]


def trainer(reviews, collate) -> float:
    """Time `Trainer` on the same batches, its logging and saving turned off."""

    class SameOrder(Trainer):
        def get_train_dataloader(self):
            return loader_for(reviews, collate)

    reset_accelerate()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH,
            learning_rate=LEARNING_RATE,
            optim="adamw_torch",  # its default is the fused AdamW, which the others do not use
            lr_scheduler_type="constant",
            max_grad_norm=0.0,
            disable_tqdm=True,
            report_to="none",
            save_strategy="no",
            logging_strategy="no",
        )
        task = SameOrder(fresh()[0], arguments, train_dataset=reviews)
        task.remove_callback(PrinterCallback)
        started = perf_counter()
        task.train()
        return perf_counter() - started


def main() -> None:
    """Print each loop's median time as a ratio to the floor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    quiet()
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_name())
    reviews = load_reviews(train=1600)["train"].map(
        lambda rows: tokenizer(rows["sentence"], truncation=True, max_length=64),
        batched=True,
        remove_columns=["sentence", "idx"],
    )
    reviews = reviews.rename_column("label", "labels")
    longest = DataCollatorWithPadding(tokenizer)
    fixed = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=64)
    loops = {
        "bare loop (floor)": (floor, longest),
        "plain PyTorch": (plain, longest),
        "chapter 1's loop": (chapter_1, longest),
        "Trainer": (trainer, longest),
        "plain, padded to 64": (plain, fixed),
    }
    times: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(rounds):
        # Each round starts with another loop, so that none always runs on a colder processor.
        first = turn % len(loops)
        for name, (loop, collate) in (list(loops.items()) * 2)[first : first + len(loops)]:
            times[name].append(loop(reviews, collate))
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["bare loop (floor)"]
    print(f"{torch.get_num_threads()} threads, {rounds} rounds, floor {base:.2f} s")
    for name, median in medians.items():
        print(f"{name:20} {median / base:.2f}")


if __name__ == "__main__":
    main()
