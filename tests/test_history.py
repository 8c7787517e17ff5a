"""A run's record is kept without waiting, survives a file, and says when a file is damaged."""

import json
from pathlib import Path

import pytest
import torch

from helpers.history import COLUMNS, History


def optimizer(learning_rate: float = 0.1) -> torch.optim.Optimizer:
    """Return an optimizer that has a learning rate, which is all that a history reads."""
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=learning_rate)


def run_of(rows: list[tuple[float, int, bool]]) -> History:
    """Return a history with one row for each (loss, samples, updated)."""
    history = History("a run", batch_size=4)
    for loss, samples, updated in rows:
        history.record(torch.tensor(loss), optimizer(), samples=samples, updated=updated)
    return history


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return the path of a saved run with three micro-batches and two updates."""
    history = run_of([(0.5, 4, False), (0.25, 4, True), (1 / 3, 2, True)])
    history.results["validation_accuracy"] = 0.75
    path = tmp_path / "folder" / "run.json"
    history.save(path)
    return path


def test_recording_does_not_read_the_loss() -> None:
    """A tensor on the device `meta` has no value: whatever reads it raises. `record` does not."""
    loss = torch.zeros((), device="meta", requires_grad=True)
    with pytest.raises(RuntimeError):
        loss.item()
    history = History("a run")
    history.record(loss, optimizer(), samples=4)
    assert history.updates == 1


def test_recording_lets_go_of_the_graph() -> None:
    """What is kept is detached; otherwise each step's activations would stay in memory."""
    history = History("a run")
    history.record(torch.zeros((), requires_grad=True) * 2, optimizer(), samples=1)
    assert not history._losses[0].requires_grad


def test_recording_copies_what_training_changes_later() -> None:
    """The learning rate is the one at the time of recording, not the scheduler's next one."""
    history, sgd = History("a run"), optimizer(0.1)
    for learning_rate in (0.1, 0.05):
        sgd.param_groups[0]["lr"] = learning_rate
        history.record(torch.tensor(1.0), sgd, samples=1)
    assert history.learning_rates == [0.1, 0.05]


def test_losses_can_be_read_between_two_recordings() -> None:
    """Reading turns tensors into numbers; what is recorded afterwards is read as well."""
    history = run_of([(0.5, 1, True)])
    assert history.losses == [0.5]
    history.record(torch.tensor(0.25), optimizer(), samples=1)
    assert history.losses == [0.5, 0.25]
    history.losses.append(9.0)
    assert history.losses == [0.5, 0.25]


def test_update_losses_weight_by_samples() -> None:
    """A window's loss is the mean over its samples, so a short micro-batch counts less."""
    history = run_of([(1.0, 4, False), (4.0, 2, True), (3.0, 1, True)])
    assert history.update_losses() == [(1.0 * 4 + 4.0 * 2) / 6, 3.0]
    assert history.updates == 2


def test_an_open_window_has_no_update_loss() -> None:
    """Micro-batches after the last update belong to no window that ended."""
    history = run_of([(1.0, 4, True), (2.0, 4, False)])
    assert history.update_losses() == [1.0]


def test_a_saved_run_comes_back(saved: Path) -> None:
    """Everything that figures and comparisons need is the same after a round through a file."""
    run = History.load(saved)
    assert run.name == "a run"
    assert run.losses == [0.5, 0.25, 0.333333]
    assert run.learning_rates == [0.1, 0.1, 0.1]
    assert run.updated == [False, True, True]
    assert run.samples == [4, 4, 2]
    assert len(run.seconds) == 3
    assert run.results == {"validation_accuracy": 0.75}
    assert run.made_by["batch_size"] == 4
    assert run.update_losses() == [0.375, 0.333333]
    run.record(torch.tensor(1.0), optimizer(), samples=4)
    assert run.losses == pytest.approx([0.5, 0.25, 0.333333, 1.0], abs=1e-6)


def test_saving_twice_gives_the_same_file(saved: Path) -> None:
    """A loaded run is saved as the same bytes, so that nothing drifts."""
    again = saved.with_name("again.json")
    History.load(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_a_missing_file_says_where_runs_lie(tmp_path: Path) -> None:
    """The message names the two folders and how a run gets into one."""
    with pytest.raises(FileNotFoundError, match="There is no run nothing") as raised:
        History.load(tmp_path / "nothing.json")
    assert "notebooks/reference_runs/" in str(raised.value)
    assert "notebooks/my_runs/" in str(raised.value)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", "{}", '"a run"'])
def test_a_damaged_file_says_so(saved: Path, damage: str) -> None:
    """What is no run is refused in words, whatever it is instead."""
    saved.write_text(damage, encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.json is not a run that History\.save wrote"):
        History.load(saved)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("damage", ["shorter", "missing"])
def test_columns_that_do_not_fit_are_refused(saved: Path, column: str, damage: str) -> None:
    """A run whose columns are missing or differ in length would be drawn wrong."""
    fields = json.loads(saved.read_text(encoding="utf-8"))
    if damage == "shorter":
        fields[column].pop()
    else:
        del fields[column]
    saved.write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(ValueError, match="run the chapter that saves it again"):
        History.load(saved)
