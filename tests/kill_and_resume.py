"""Kill `train.py` at random moments and resume it: `python -m tests.kill_and_resume` (by hand).

A checkpoint is written at every update. Each round starts a run, kills it with SIGKILL at a random
moment, resumes it to its end, and compares its metrics with those of a run that nobody touched.
`tests/test_train.py` does the same with fewer rounds.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from helpers.launch import Running, launch
from tests.chapters import NOTEBOOKS

RUN = f"{NOTEBOOKS / 'train.py'} --reviews 160 --validation 32 --epochs 2 --accumulate 2 --every 1"
CLOSE = 1e-6  # nats


def command(folder: Path, *, resume: bool = False, start: str = "python") -> str:
    """Return the command that trains with its metrics and checkpoints in `folder`."""
    options = f"--metrics {folder / 'metrics.jsonl'} --checkpoints {folder / 'checkpoints'}"
    return f"{start} {RUN} {options}" + " --resume" * resume


def metrics(folder: Path) -> list[dict]:
    """Return the rows that a run in `folder` has written."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def largest_difference(rows: list[dict], expected: list[dict]) -> float:
    """Return the largest difference of two lists of rows; raise AssertionError if rows differ."""
    assert [row.keys() for row in rows] == [row.keys() for row in expected], (rows, expected)
    pairs = zip(rows, expected, strict=True)
    return max(abs(one[key] - other[key]) for one, other in pairs for key in one)


def uninterrupted(folder: Path) -> tuple[list[dict], float]:
    """Return the metrics of a run that nobody touches, and the seconds that it took."""
    with Running(command(folder)) as running:
        started = when_training_begins(folder, running)
        finished = running.wait(120)
    assert finished.code == 0, finished.lines
    return metrics(folder), time.monotonic() - started


def when_training_begins(folder: Path, running: Running) -> float:
    """Wait for it, and return the moment."""
    while not (folder / "metrics.jsonl").exists():
        assert running.process.poll() is None, running.lines()
        time.sleep(0.005)
    return time.monotonic()


def killed_and_resumed(folder: Path, moment: float) -> tuple[str, list[dict]]:
    """Kill a run `moment` seconds after training has begun, and resume it to its end.

    Returns where it resumed, and its metrics.
    """
    with Running(command(folder)) as running:
        when_training_begins(folder, running)
        time.sleep(moment)
        running.process.kill()
        running.process.wait()
    finished = launch(command(folder, resume=True), seconds=120)
    assert finished.code == 0, finished.lines
    (where,) = [line for line in finished.lines if "resumed" in line or "no checkpoint" in line]
    return where, metrics(folder)


def main() -> None:
    """Print, for each round, when the run was killed, where it resumed, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        expected, seconds = uninterrupted(Path(name) / "whole")
        for number in range(options.rounds):
            moment = moments.uniform(0, seconds)
            where, rows = killed_and_resumed(Path(name) / str(number), moment)
            difference = largest_difference(rows, expected)
            print(f"killed after {moment:5.2f} s, {where}, largest difference {difference:.1e}")
            assert difference <= CLOSE
        print(f"{options.rounds} rounds; an untouched run trains for {seconds:.1f} s")


if __name__ == "__main__":
    main()
