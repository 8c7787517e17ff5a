"""The ranks of chapter 7's checks are dealt what Accelerate deals, and meet as processes do."""

import ast
import itertools
import json
from pathlib import Path

import torch
from accelerate.data_loader import BatchSamplerShard
from torch.utils.data import BatchSampler, SequentialSampler

from helpers.checks.chapter_07 import Reviews, _dealt, _updates_and_scheduler_steps
from helpers.checks.ranks import OnRanks
from helpers.launch import launch

# What each rank sees of the collectives, in a loader whose last round is filled up.
SEEN = """
import torch


def seen(loader, accelerator):
    found = []
    for batch in loader:
        labels = batch["labels"]
        pair = accelerator.gather_for_metrics((labels, {"twice": 2 * labels}))
        found += [pair[0].tolist(), pair[1]["twice"].tolist()]
        found += [accelerator.gather(labels).tolist()]
        found += [accelerator.gather_for_metrics(labels.sum()).tolist()]
        found += [accelerator.gather_for_metrics(labels.tolist())]
        found += [accelerator.reduce(labels.float(), how).tolist() for how in ("sum", "mean")]
    accelerator.wait_for_everyone()
    found += [accelerator.gather_for_metrics(labels).tolist()]
    return found
"""

REAL = """
import json
import sys
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True)
rows = [{"labels": number % 2} for number in range(5)]
loader = accelerator.prepare(DataLoader(rows, batch_size=2))
line = json.dumps(["rank", accelerator.process_index, seen(loader, accelerator)])
sys.stdout.write(line + "\\n")  # in one piece: ranks write at the same time
accelerator.end_training()
"""


def test_ranks_are_dealt_what_accelerate_deals() -> None:
    """Every rank, for few and many samples, with a last round that is full or is not."""
    compared = 0
    for length, batch_size, processes in itertools.product(range(20), (1, 2, 3), (2, 3, 4)):
        sampler = BatchSampler(SequentialSampler(range(length)), batch_size, drop_last=False)
        for rank in range(processes):
            shard = BatchSamplerShard(sampler, num_processes=processes, process_index=rank)
            assert _dealt(rank, processes, length, batch_size) == list(shard)
            updates, _ = _updates_and_scheduler_steps(length, batch_size, processes, 1, 1)
            assert updates == len(shard)
            compared += 1
    assert compared == 20 * 3 * (2 + 3 + 4)


def test_ranks_meet_as_processes_do(tmp_path: Path) -> None:
    """The same function on two stand-ins and on two processes: each rank sees the same."""
    script = tmp_path / "script.py"
    script.write_text(SEEN + REAL, encoding="utf-8")
    finished = launch(f"torchrun --standalone --nproc_per_node 2 {script}", seconds=60)
    assert finished.code == 0, finished.lines
    real = sorted(json.loads(line)[1:] for line in finished.lines if line.startswith('["rank"'))
    names: dict = {}
    exec(compile(ast.parse(SEEN), "seen", "exec"), names)
    met = OnRanks(lambda _, loader, rank: names["seen"](loader, rank))(Reviews("11111", 2, 2), 2)
    assert met.standing == ""
    assert [[rank, value] for rank, value in enumerate(met.values)] == real


def test_a_rank_alone_waits_and_is_named() -> None:
    """Ranks that part are found at once, with the call and its line; nothing runs on."""

    def parted(rank) -> torch.Tensor:
        if rank.is_main_process:
            rank.wait_for_everyone()
        return rank.gather(torch.ones(1))

    met = OnRanks(parted)(lambda rank: (rank,), 3)
    assert met.waiting == ["wait_for_everyone", "gather", "gather"]
    first = parted.__code__.co_firstlineno
    assert f"rank 0 in wait_for_everyone (line {first + 2})" in met.standing
    assert f"rank 2 in gather (line {first + 3})" in met.standing


def test_ranks_that_give_different_shapes_do_not_meet() -> None:
    """A gather of two rows on one rank and one on the other has no result."""
    met = OnRanks(lambda rank: rank.gather(torch.ones(1 + rank.process_index)))(lambda r: (r,), 2)
    assert "rank 0 in gather" in met.standing


def test_a_function_prints_once_a_rank(capsys) -> None:
    """Ranks are called again and again; what they print is shown from the last time."""

    def talks(rank) -> None:
        print("hello from", rank.process_index)
        for _ in range(3):
            rank.wait_for_everyone()
        rank.print("all here")

    OnRanks(talks)(lambda rank: (rank,), 2)
    assert capsys.readouterr().out.splitlines() == ["hello from 0", "all here", "hello from 1"]
