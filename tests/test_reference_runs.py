"""The stored runs are whole, made with the pinned versions, and what the chapters do today."""

import json
import re
from pathlib import Path

import pytest

from helpers.history import History
from tests import chapters
from tests.plugin import STARTED

STORED = chapters.NOTEBOOKS / "reference_runs"
OWN = chapters.NOTEBOOKS / "my_runs"
LARGEST_DIFFERENCE = 1e-3  # in nats, as in cells tagged `approx`

each_chapter = pytest.mark.parametrize("path", chapters.taught(), ids=lambda path: path.stem)


def test_every_chapter_with_a_loop_has_its_run_and_no_other_is_stored() -> None:
    """Each file is named after an existing chapter, and none of chapters 1 to 8 lacks one."""
    stored = sorted(path.name for path in STORED.glob("*.json"))
    assert stored == [f"{path.stem}.json" for path in chapters.taught()]


@each_chapter
def test_a_stored_run_is_whole(path: Path) -> None:
    """It loads, has updates and losses, and holds what chapter 9 compares."""
    run = History.load(STORED / f"{path.stem}.json")
    assert 0 < run.updates <= len(run.losses)
    assert all(0 < loss < 10 for loss in run.losses)
    assert sum(run.samples) >= 800
    if "validation_loss" in run.results:  # a language model, in nats per token
        assert 0 < run.results["validation_loss"] < 9
    else:
        assert 0.4 < run.results["validation_accuracy"] <= 1
    assert run.results["peak_activations_mib"] > 0


@each_chapter
def test_a_stored_run_was_made_with_the_pinned_versions(path: Path) -> None:
    """Its libraries are those of requirements.txt, its reviews and model the packaged ones."""
    made_by = json.loads((STORED / f"{path.stem}.json").read_text(encoding="utf-8"))["made_by"]
    requirements = (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8")
    for package in ("torch", "accelerate"):
        (pinned,) = re.findall(rf"^{package}==(.+)$", requirements, re.MULTILINE)
        assert made_by[package].partition("+")[0] == pinned
    assert made_by["source"] == "packaged"
    assert made_by["device"] == "cpu"


@each_chapter
def test_the_run_that_the_chapter_has_just_made_is_the_stored_one(
    path: Path, request: pytest.FixtureRequest
) -> None:
    """Same updates, samples and learning rates, and losses within 0.001; the clock may differ."""
    if path not in {item.path for item in request.session.items}:
        pytest.skip(f"{path.name} was not selected, so it has saved no run in this session")
    own, name = OWN / f"{path.stem}.json", f"{path.stem}.json"
    fresh = own.is_file() and own.stat().st_mtime >= request.config.stash[STARTED]
    if not fresh and History.load(STORED / name).made_by["mixed_precision"] == "bf16":
        # A processor without bf16 instructions takes over a minute for this run. The chapter then
        # reads the stored one, and its own cell compares the beginning with a run made here.
        pytest.skip("this processor is slow in bf16: the chapter compares eight updates instead")
    assert fresh, f"{path.name} was run in this session and has not saved my_runs/{name}"

    made, stored = History.load(own), History.load(STORED / name)
    assert made.name == stored.name
    assert made.updated == stored.updated
    assert made.samples == stored.samples
    assert made.learning_rates == pytest.approx(stored.learning_rates, rel=1e-6)
    assert made.losses == pytest.approx(stored.losses, rel=0, abs=LARGEST_DIFFERENCE)
    assert made.results.keys() == stored.results.keys()
