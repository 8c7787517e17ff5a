"""One number for the comparison of runs. Chapter 5 writes evaluation out and explains it."""

import torch
from torch.utils.data import DataLoader, Dataset


def accuracy(model: torch.nn.Module, reviews: Dataset, collate) -> float:
    """Return the share of `reviews` (tokenised, with `labels`) that `model` labels as people did.

    `collate` makes a padded batch of tensors from a list of rows. The model is left in the mode,
    train or eval, in which it came.
    """
    device = next(model.parameters()).device
    training, correct = model.training, 0
    model.eval()
    with torch.inference_mode():
        # Neighbours of equal length need little padding: the same answer in half the time.
        by_length = sorted(reviews, key=lambda row: len(row["input_ids"]))
        for batch in DataLoader(by_length, batch_size=64, collate_fn=collate):
            batch = {name: values.to(device) for name, values in batch.items()}
            predicted = model(**batch).logits.argmax(dim=-1)
            correct += int((predicted == batch["labels"]).sum())
    model.train(training)
    return correct / len(reviews)
