"""What the tiny BERT is worth: `python helpers/tiny_bert/evaluate.py` prints the card's table.

Fine-tunes on 2,000 Rotten Tomatoes sentences (three epochs, batch 16, AdamW, three seeds) and
counts right answers on the 1,000 held-out ones. The same architecture from random weights gets
the learning rate that suits it best.
"""

import statistics
from functools import partial
from pathlib import Path

import torch
from torch.utils.data import DataLoader
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
)

from helpers.data import load_reviews
from helpers.evaluation import accuracy
from helpers.notebook import quiet

FOLDER = Path(__file__).parent
SEEDS, EPOCHS, BATCH = (0, 1, 2), 3, 16
PRETRAINED_RATES, RANDOM_RATES = (5e-5, 1e-4), (5e-5, 1e-4, 3e-4, 5e-4)


def fine_tune(make_model, reviews, collate, learning_rate: float, seed: int) -> float:
    """Train a fresh model and return its accuracy on the held-out reviews."""
    torch.manual_seed(seed)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    order = torch.Generator().manual_seed(seed)
    loader = DataLoader(reviews["train"], BATCH, True, collate_fn=collate, generator=order)
    model.train()
    for _ in range(EPOCHS):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    return accuracy(model, reviews["validation"], collate)


def main() -> None:
    """Print mean accuracy and each seed's, for both starts and every learning rate."""
    quiet()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    reviews = load_reviews(train=2000).map(
        lambda rows: tokenizer(rows["sentence"], truncation=True, max_length=64),
        batched=True,
        remove_columns=["sentence", "idx"],
    )
    reviews = reviews.rename_column("label", "labels")
    collate = DataCollatorWithPadding(tokenizer)
    pretrained = partial(BertForSequenceClassification.from_pretrained, FOLDER, num_labels=2)
    config = BertConfig.from_pretrained(FOLDER, num_labels=2)
    starts = {
        "tiny BERT": (pretrained, PRETRAINED_RATES),
        "random weights": (partial(BertForSequenceClassification, config), RANDOM_RATES),
    }
    for name, (make_model, rates) in starts.items():
        for rate in rates:
            found = [fine_tune(make_model, reviews, collate, rate, seed) for seed in SEEDS]
            each = ", ".join(f"{value:.3f}" for value in found)
            print(f"{name:14}  {rate:.0e}  {statistics.mean(found):.3f}  ({each})", flush=True)


if __name__ == "__main__":
    main()
