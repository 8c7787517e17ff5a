"""The checks of chapter 7's exercises."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch

from helpers.checks.core import Case, compare, reference, same
from helpers.checks.ranks import OnRanks, Rank, Together

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"
STANDING, ALL_RETURN = "at the end", "all ranks return"
Batches = list[list[int]]


def _named(mistakes: Sequence[tuple[Any, str]], got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def updates_and_scheduler_steps(answer: Callable) -> None:
    """Check exercise 7.1: the updates of a run, and the steps of its prepared scheduler."""
    runs = [
        ("one batch on one process", (16, 16, 1, 1, 1)),
        ("70 reviews, batch size 8, one process", (70, 8, 1, 1, 1)),
        ("64 reviews, batch size 8, one process, window 4", (64, 8, 1, 4, 1)),
        ("64 reviews, batch size 8, two processes", (64, 8, 2, 1, 1)),
        ("64 reviews, batch size 4, two processes, window 4, three epochs", (64, 4, 2, 4, 3)),
        ("70 reviews, batch size 8, two processes", (70, 8, 2, 1, 1)),
        ("70 reviews, batch size 8, two processes, window 2, two epochs", (70, 8, 2, 2, 2)),
        ("100 reviews, batch size 8, three processes, window 4, two epochs", (100, 8, 3, 4, 2)),
        ("20 reviews, batch size 4, two processes, window 8, three epochs", (20, 4, 2, 8, 3)),
        ("one review, four processes", (1, 8, 4, 2, 2)),
        ("no review", (0, 8, 2, 2, 2)),
    ]
    cases: list[Case] = [(described, partial(tuple, run)) for described, run in runs]
    compare("7.1", answer, _updates_and_scheduler_steps, cases, _cause_of_7_1)


@reference
def _updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs) -> tuple[int, int]:
    updates = epochs * math.ceil(math.ceil(math.ceil(reviews / batch_size) / processes) / window)
    return updates, updates * processes


def _cause_of_7_1(arguments: tuple, expected: tuple[int, int], got: Any) -> str:
    reviews, batch_size, processes, window, epochs = arguments
    if got is None:
        return NOTHING
    if not isinstance(got, list | tuple) or len(got) != 2:
        return "Wanted are two numbers: the updates, and the steps of the scheduler."
    updates, steps = expected
    batches = math.ceil(reviews / batch_size)
    share = math.ceil(batches / processes)
    of_updates = (
        (share * epochs, "These are micro-batches of one process. A window of them is an update."),
        (math.ceil(batches / window) * epochs, "These are the updates of one process alone. Each "
         "gets its share of the batches, and they make an update together."),
        (share // window * epochs, "Rounded down: the tail of an epoch is an update too."),
        (math.ceil(share * epochs / window), "Windows do not span epochs: round up in each."),
        (math.ceil(batches // processes / window) * epochs, "Batches that do not divide evenly: "
         "each process is dealt as many as the one with the most. Round up."),
        (reviews // (batch_size * processes * window) * epochs, "Rounded down: what is left over "
         "at the end of an epoch makes a last update, on less."),
    )  # fmt: skip
    short = reviews // batch_size * epochs
    if processes == window == 1 and updates != short and same(got[0], short):
        return "The last batch of an epoch is short, and a batch: round up."
    between = "At the micro-batches between two updates, the prepared scheduler does not step."
    of_steps = (
        (updates, "The prepared scheduler steps once for each process, at every update."),
        (share * epochs * processes, between),
        (share * epochs, between),
        (math.ceil(batches / window) * epochs, "The steps of one process alone are as many only "
         "where all divides evenly: count updates, and take them times the processes."),
        (batches * epochs, between),
    )  # fmt: skip
    if same(got, (steps, steps)):
        return "An update is made by all processes together: count it once."
    if same(got, (steps, updates)) and steps != updates:
        return "The two numbers are in the wrong order: first the updates."
    if not same(got[0], updates):
        return _named(of_updates, got[0]) or (
            "From reviews to batches, to batches of one process, to windows, and then to epochs: "
            "round up three times."
        )
    return _named(of_steps, got[1]) or "What does the scheduler do at each of these updates?"


def samples_of(answer: Callable) -> None:
    """Check exercise 7.2: what each rank is dealt."""
    deals = [
        ("rank 0 of 2, eight samples, batch size 2", (0, 2, 8, 2)),
        ("rank 1 of 2, eight samples, batch size 2", (1, 2, 8, 2)),
        ("rank 1 of 2, seven samples, batch size 2", (1, 2, 7, 2)),
        ("rank 1 of 2, six samples, batch size 2", (1, 2, 6, 2)),
        ("rank 0 of 2, five samples, batch size 2", (0, 2, 5, 2)),
        ("rank 1 of 2, five samples, batch size 2", (1, 2, 5, 2)),
        ("rank 2 of 3, seven samples, batch size 2", (2, 3, 7, 2)),
        ("rank 1 of 3, ten samples, batch size 3", (1, 3, 10, 3)),
        ("rank 3 of 4, three samples, batch size 2", (3, 4, 3, 2)),
        ("rank 0 of 1, five samples, batch size 2", (0, 1, 5, 2)),
        ("rank 1 of 2, no sample", (1, 2, 0, 2)),
    ]
    cases: list[Case] = [(described, partial(tuple, deal)) for described, deal in deals]
    compare("7.2", answer, _samples_of, cases, _cause_of_7_2)


@reference
def _samples_of(rank: int, processes: int, length: int, batch_size: int) -> Batches:
    return _dealt(rank, processes, length, batch_size)


def _dealt(rank: int, processes: int, length: int, batch_size: int) -> Batches:
    batches = [list(range(length))[at : at + batch_size] for at in range(0, length, batch_size)]
    if processes == 1:
        return batches
    size = batch_size * processes
    return [
        [number % length for number in range(start, start + batch_size)]
        for start in range(rank * batch_size, math.ceil(length / size) * size, size)
    ]


def _cause_of_7_2(arguments: tuple, expected: Batches, got: Any) -> str:
    rank, processes, length, batch_size = arguments
    if got is None:
        return NOTHING
    numbers = list(range(length))
    size = batch_size * processes
    batches = _dealt(0, 1, length, batch_size)
    rounds = math.ceil(length / size)
    per_rank = math.ceil(length / processes)
    own = [number for batch in batches[rank::processes] for number in batch]

    def cut(numbers: list[int]) -> Batches:
        return [numbers[at : at + batch_size] for at in range(0, len(numbers), batch_size)]

    def filled(more: Callable[[int], int]) -> Batches:
        """Return the rank's batches when position `length + count` is filled with `more(count)`."""
        stream = numbers + [more(count) for count in range(rounds * size - length)]
        return cut(stream)[rank::processes]

    if same(got, [number for batch in expected for number in batch]) and expected:
        return "The numbers are right. Wanted is a list of batches, each of them a list."
    if same(got, [[number + 1 for number in batch] for batch in expected]) and expected:
        return "Samples are counted from 0."
    if processes == 1 and same(got, filled(lambda count: count)):
        return "One process shares with nobody, and nothing is filled up: its last batch is short."
    mistakes = [
        (_dealt((rank - 1) % processes, processes, length, batch_size), "That is what the rank "
         "before this one gets: ranks are counted from 0."),
        (cut(numbers[rank * per_rank : (rank + 1) * per_rank]), "You cut the data into one piece "
         "for each rank. Accelerate deals out batches, as one deals cards: in turn."),
        (cut(numbers[rank::processes]), "You deal out samples in turn. Accelerate deals batches: "
         "the first one, whole, to rank 0."),
        (batches[rank::processes], "Some rank comes off badly here: with a short batch, or one "
         "fewer. All get equally many full ones; what is missing is taken from the beginning."),
        (batches[rank::processes][: length // size], "You drop what does not fill a round. By "
         "default it is filled up with samples that were dealt before."),
        (filled(lambda count: length - 1), "You repeat the last sample. What is missing is taken "
         "from the beginning of the data."),
        (cut([own[at % len(own)] for at in range(rounds * batch_size)] if own else []), "You fill "
         "a rank's batch from its own samples. The filling comes from the beginning of the data."),
        (filled(lambda count: (count - (-length % batch_size)) % batch_size % length
                if count >= -length % batch_size else count), "Each batch that is filled up begins "
         "with sample 0 again. The filling goes on where it has stopped."),
    ] if length else []  # fmt: skip
    return _named(mistakes, got) or (
        "Write the numbers of all batches in a row, go on with 0, 1, 2, … until the last round is "
        "full, and then deal out the batches."
    )


class Reviews(NamedTuple):
    """A case of exercise 7.3: which reviews the model gets right, and how they are dealt."""

    right: str  # `1` or `0` for each review
    batch_size: int
    processes: int

    def __call__(self, rank: Rank) -> tuple:
        """Return the arguments of one rank."""
        return _logits_as_they_are, Share(self, rank), rank

    def hits(self, rank: int, exactly: bool = False) -> list[list[int]]:
        """Return the rank's batches, `1` for a right one; on demand, each review only once."""
        length, found = len(self.right), []
        dealt = _dealt(rank, self.processes, length, self.batch_size)
        for count, batch in enumerate(dealt):
            first = (count * self.processes + rank) * self.batch_size
            held = max(0, length - first) if exactly else len(batch)
            found.append([int(self.right[number]) for number in batch[:held]])
        return found


class Share:
    """The prepared loader of one rank."""

    def __init__(self, case: Reviews, rank: Rank) -> None:
        self._case, self._rank = case, rank
        self.batch_size, self.dataset = case.batch_size, range(len(case.right))
        numbers = (rank.process_index, case.processes, len(case.right), case.batch_size)
        self._batches = _dealt(*numbers)

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        size = self.batch_size * self._case.processes
        for count, numbers in enumerate(self._batches, start=1):
            labels = torch.tensor([number % 2 for number in numbers])
            hit = torch.tensor([int(self._case.right[number]) for number in numbers])
            said = torch.where(hit == 1, labels, 1 - labels)
            last = count == len(self)
            self._rank.remainder = len(self.dataset) % size if last else 0
            yield {"inputs": torch.nn.functional.one_hot(said, 2).float(), "labels": labels}
        self._rank.remainder = 0  # behind the loop, nothing is known of the last batch


def _logits_as_they_are(inputs: torch.Tensor, labels: torch.Tensor) -> SimpleNamespace:
    """Stand in for a model: the inputs are its logits."""
    loss = torch.nn.functional.cross_entropy(inputs, labels)
    return SimpleNamespace(logits=inputs, loss=loss)


def exact_accuracy(answer: Callable) -> None:
    """Check exercise 7.3: each review once, and the same number on each rank."""
    settings = [
        ("one process, four reviews, batch size 2", ("1101", 2, 1)),
        ("two processes, eight reviews, batch size 2", ("11010000", 2, 2)),
        ("two processes, seven reviews, batch size 2", ("1101000", 2, 2)),
        ("two processes, five reviews, batch size 2", ("11000", 2, 2)),
        ("two processes, ten reviews, batch size 4", ("1101001010", 4, 2)),
        ("three processes, eleven reviews, batch size 2", ("11110000010", 2, 3)),
        ("one process, five reviews, batch size 2", ("11010", 2, 1)),
        ("two processes, one review", ("1", 2, 2)),
    ]
    cases: list[Case] = [
        (described, partial(_on_ranks, Reviews(*setting))) for described, setting in settings
    ]
    compare("7.3", _on_all(answer), _exact_accuracy, cases, _cause_of_7_3, _accuracies)


def _on_ranks(case: Any) -> tuple:
    return case, case.processes


def _on_all(answer: Callable) -> Any:
    return OnRanks(answer) if callable(answer) else answer


@reference
def _exact_accuracy(case: Reviews, processes: int) -> Together:
    return Together([], [case.right.count("1") / len(case.right)] * processes)


def _accuracies(_: tuple, met: Together) -> dict[str, Any]:
    found: dict[str, Any] = {STANDING: met.standing or ALL_RETURN}
    for rank, value in enumerate(met.values):
        found[f"accuracy on rank {rank}"] = value
    return found


def _cause_of_7_3(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    case, processes = arguments
    if got[STANDING] != ALL_RETURN:
        return (
            "Ranks wait for each other in vain. Every rank has to make every collective call, in "
            "the same order: none under a condition that holds on one rank alone."
        )
    rank = next(rank for rank in range(processes) if not _is_right(rank, expected, got))
    value = got[f"accuracy on rank {rank}"]
    if value is None:
        return NOTHING if rank == 0 else (
            "Rank 0 returns the number, and the others return nothing. Each rank may need it: to "
            "decide together whether to stop, say."
        )  # fmt: skip
    dealt = [case.hits(each) for each in range(processes)]
    once = [case.hits(each, exactly=True) for each in range(processes)]
    return _named(_mistaken_accuracies(rank, dealt, once), value) or (
        "Gather one row a review in each batch, with `gather_for_metrics`. Then count."
    )


def _is_right(rank: int, expected: dict[str, Any], got: dict[str, Any]) -> bool:
    name = f"accuracy on rank {rank}"
    return same(got[name], expected[name])


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan


def _mistaken_accuracies(
    rank: int, dealt: list[list[list[int]]], once: list[list[list[int]]]
) -> list[tuple[Any, str]]:
    """Return what the usual mistakes come to, from the hits of each rank batch by batch."""

    def flat(batches: list[list[int]]) -> list[int]:
        return [hit for batch in batches for hit in batch]

    own, all_dealt = flat(dealt[rank]), flat(map(flat, dealt))
    reviews = len(flat(map(flat, once)))
    right = sum(flat(map(flat, once)))
    rounds = [flat(each) for each in zip(*once, strict=True)]
    own_alone = "That is the accuracy of this rank's share alone: nothing was gathered."
    return [
        (_mean(all_dealt), "Reviews that were dealt twice, to fill up the last round, count twice. "
         "A mean of the ranks' accuracies does that too. In each batch, `gather_for_metrics` cuts "
         "them off, if you give it one row a review."),
        (_mean(own), own_alone),
        (_mean(flat(once[rank])), own_alone),
        (_mean([_mean(each) for each in rounds]), "That is the mean of the batches' accuracies: "
         "the last one is shorter, and counts too much."),
        (sum(all_dealt) / reviews, "You divide by the reviews, but count right answers among those "
         "that were dealt twice."),
        (sum(own) / reviews, "Right answers of one rank, divided by the reviews of all."),
        (right, "That is the number of right answers. Divide it by the number of reviews."),
        (100 * right / reviews, "That is a percentage. The share is a number between 0 and 1."),
        (_mean(rounds[-1]), "That is the accuracy of the last batch alone."),
        (1 - right / reviews, "That is the share of mistakes."),
    ]  # fmt: skip


class Training(NamedTuple):
    """A case of exercise 7.4: the scores of each rank in each epoch."""

    scores: list[list[float]]

    @property
    def processes(self) -> int:
        """How many ranks there are."""
        return len(self.scores)

    def __call__(self, rank: Rank) -> tuple:
        """Return the arguments of one rank."""
        own = self.scores[rank.process_index]

        def train(epoch: int) -> torch.Tensor:
            if rank.num_processes > 1:
                rank.meet("train")  # the ranks average their gradients
            rank.log.append(f"train {epoch}")
            return torch.tensor(own[epoch - 1])

        def save(epoch: int) -> None:
            rank.log.append(f"save {epoch}")

        return rank, train, save, len(own)


def repaired(answer: Callable) -> None:
    """Check exercise 7.4: no rank waits in vain, and all decide alike."""
    settings = [
        ("one process, three epochs", [[0.5, 0.75, 0.625]]),
        ("two ranks with the same scores", [[0.5, 0.625, 0.75]] * 2),
        ("two ranks, same scores, worse in epoch 3", [[0.5, 0.625, 0.5, 0.75]] * 2),
        ("two ranks, rank 1 worse in epoch 2", [[0.5, 0.75, 0.5], [0.8125, 0.6875, 0.5]]),
        ("two ranks, rank 0 worse in epoch 2", [[0.75, 0.625, 0.5], [0.5, 0.75, 0.5]]),
        ("two ranks, rank 0 better, the mean worse", [[0.5, 0.625, 0.75], [0.875, 0.5, 0.75]]),
        ("three ranks, the mean as before in epoch 2",
         [[0.25, 0.75, 1.0], [0.5, 0.5, 1.0], [0.75, 0.25, 1.0]]),
        ("two ranks, no epoch", [[], []]),
    ]  # fmt: skip
    cases: list[Case] = [
        (described, partial(_on_ranks, Training(scores))) for described, scores in settings
    ]
    compare("7.4", _on_all(answer), _repaired, cases, _cause_of_7_4, _conduct)


@reference
def _repaired(case: Training, processes: int) -> Together:
    ranks = [Rank(index, processes) for index in range(processes)]
    best = 0.0
    for epoch, scores in enumerate(zip(*case.scores, strict=True), start=1):
        for rank in ranks:
            rank.log.append(f"train {epoch}")
        if _mean(scores) <= best:
            break
        best = _mean(scores)
        ranks[0].log += [f"save {epoch}", "wait_for_everyone"]
    return Together(ranks, [best] * processes)


SAVED, ELSEWHERE = "epochs saved by rank 0", "epochs saved by other ranks"
UNAWAITED = "saved epochs that the other ranks did not wait for"
TRAINED = "epochs trained"


def _conduct(_: tuple, met: Together) -> dict[str, Any]:
    def done(what: str, rank: Rank) -> list[int]:
        return [int(entry.split()[1]) for entry in rank.log if entry.startswith(f"{what} ")]

    main, *others = met.ranks
    log = [entry for entry in main.log if entry != "train"] + ["return"]
    unawaited = [
        int(entry.split()[1])
        for entry, after in pairwise(log)
        if others and entry.startswith("save ") and after.startswith(("train", "save", "return"))
    ]
    return {
        STANDING: met.standing or ALL_RETURN,
        TRAINED: done("train", main),
        SAVED: done("save", main),
        ELSEWHERE: sorted({epoch for rank in others for epoch in done("save", rank)}),
        UNAWAITED: unawaited,
    } | {f"best score on rank {rank}": value for rank, value in enumerate(met.values)}


def _cause_of_7_4(arguments: tuple, expected: dict[str, Any], got: Any) -> str:
    case, _ = arguments
    wrong = next(entry for entry in expected if not same(got.get(entry), expected[entry]))
    if wrong == STANDING:
        return _cause_of_standing(case, got[STANDING])
    if wrong == TRAINED:
        return _cause_of_epochs(case, expected[wrong], got[wrong])
    if wrong == SAVED:
        return "Rank 0 saves each epoch whose mean score is a new best, and no other one."
    if wrong == ELSEWHERE:
        return "Several processes write the same file at once: one process saves."
    if wrong == UNAWAITED:
        return (
            "The other ranks go on while rank 0 still writes. Who reads the file next, or ends the "
            "run, may find half of it: put a barrier behind the saving, for all ranks."
        )
    if got[wrong] is None:
        rank_0 = wrong.endswith("rank 0")
        return NOTHING if rank_0 else "Only rank 0 returns the score. Return it on every rank."
    bests = [got[f"best score on rank {rank}"] for rank in range(case.processes)]
    own = [max(scores, default=0.0) for scores in case.scores]
    sums = [sum(scores) for scores in zip(*case.scores, strict=True)]
    mistakes = [
        ([max(sums, default=0.0)] * len(own), "That is a sum over the ranks: `reduce` adds up "
         "unless told."),
        (own, "Each rank returns the best of its own scores."),
        (own[:1] * len(own), "That is the best score of rank 0 alone."),
        ([-math.inf] * len(own), "Scores lie above 0, and the given function begins with 0."),
    ]  # fmt: skip
    return _named(mistakes, bests) or "Return the best of the mean scores."


def _cause_of_standing(case: Training, standing: str) -> str:
    if all(scores == case.scores[0] for scores in case.scores):
        # The ranks have the same scores: only who they are can part them.
        return (
            "A call for all ranks that not all of them make. Does it stand under `if "
            "accelerator.is_main_process`, or behind it an early `return`?"
        )
    if "in train" in standing and "has returned" in standing:
        return (
            "Some rank has stopped, and the others train on: each decides by its own score. A "
            "decision has to be made from a number that is the same on all ranks."
        )
    return (
        "The ranks have gone different ways, since their own scores differ. Compare nothing before "
        "`reduce` has made one number of them."
    )


def _cause_of_epochs(case: Training, expected: list[int], got: list[int]) -> str:
    means = [_mean(scores) for scores in zip(*case.scores, strict=True)]
    ends = len(expected)
    if not got:
        return "`train` is not called."
    if len(got) > ends and ends > 1 and means[ends - 1] == max(means[: ends - 1]):
        return "It goes on although the mean is as high as the best so far, and not above it."
    if any(scores != case.scores[0] for scores in case.scores):
        return "Whether to go on is for the mean of all ranks' scores to say, not for one of them."
    if len(got) < ends:
        return "It ends too early: a new best is a score above the best so far."
    return "It goes on although the score is no better than the best so far."
