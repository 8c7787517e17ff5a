"""`train.py`: the same run with one process and with two, killed, resumed, and given bad input."""

import json
import shutil
import textwrap
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from helpers.launch import Running, free_port, launch
from tests import kill_and_resume as kill
from tests.chapters import NOTEBOOKS

TWO = "torchrun --standalone --nproc_per_node 2"
CPU = {"ACCELERATE_USE_CPU": "1"}
HALF = " --batch-size 8"  # on each of two processes: the same 16 reviews as on one


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A run on one process that nobody touches: its folder, its metrics and its seconds."""
    folder = tmp_path_factory.mktemp("whole")
    rows, seconds = kill.uninterrupted(folder)
    return SimpleNamespace(folder=folder, rows=rows, seconds=seconds)


def test_the_rows_of_a_run(whole: SimpleNamespace) -> None:
    """Ten micro-batches in windows of two are five updates an epoch; each epoch is evaluated."""
    assert [row["update"] for row in whole.rows] == [1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10]
    assert ["loss" in row for row in whole.rows] == ([True] * 5 + [False]) * 2
    kept = [path.name for path in (whole.folder / "checkpoints").iterdir()]
    assert sorted(kept) == ["update-000009", "update-000010"]


def test_two_processes_do_what_one_does(whole: SimpleNamespace, tmp_path: Path) -> None:
    """The same order of reviews, losses equal to 1e-5, the same accuracy."""
    finished = launch(kill.command(tmp_path, start=TWO) + HALF, seconds=40, **CPU)
    assert finished.code == 0, finished.lines
    assert (tmp_path / "checkpoints" / "update-000010" / "random_states_1.pkl").exists()
    assert kill.largest_difference(kill.metrics(tmp_path), whole.rows) < 1e-5


def test_two_machines_do_what_one_does(whole: SimpleNamespace, tmp_path: Path) -> None:
    """Two launchers, each with one process, meet on the loopback address."""
    meet = f"--master_addr 127.0.0.1 --master_port {free_port()}"
    commands = []
    for rank in (0, 1):
        start = f"torchrun --nnodes 2 --node_rank {rank} --nproc_per_node 1 {meet}"
        commands.append(kill.command(tmp_path, start=start) + HALF)
    with Running(commands[0], **CPU) as first, Running(commands[1], **CPU) as second:
        finished = first.wait(40), second.wait(10)
    assert [one.code for one in finished] == [0, 0], finished
    assert kill.largest_difference(kill.metrics(tmp_path), whole.rows) < 1e-5


@pytest.mark.parametrize("share", [0.25, 0.8])
def test_a_killed_run_resumes(whole: SimpleNamespace, tmp_path: Path, share: float) -> None:
    """SIGKILL in the middle; the curve goes on as if nothing had happened."""
    _, rows = kill.killed_and_resumed(tmp_path, share * whole.seconds)
    assert kill.largest_difference(rows, whole.rows) <= kill.CLOSE


def test_a_killed_rank_ends_the_run(whole: SimpleNamespace, tmp_path: Path) -> None:
    """The launcher says which rank, stops the other one in time, and the run can be resumed."""
    with Running(kill.command(tmp_path, start=TWO) + HALF, **CPU) as running:
        kill.when_training_begins(tmp_path, running)
        (rank,) = [p for p in running.processes() if p.environ().get("RANK") == "1"]
        rank.kill()
        finished = running.wait(30)
        assert finished.code == 1 and running.processes() == []
    assert any("Signal 9 (SIGKILL)" in line for line in finished.lines)
    again = launch(kill.command(tmp_path, start=TWO, resume=True) + HALF, seconds=40, **CPU)
    assert again.code == 0, again.lines
    assert kill.largest_difference(kill.metrics(tmp_path), whole.rows) < 1e-5


DRIVER = """
    import os, shutil, signal, sys
    from pathlib import Path
    from types import SimpleNamespace
    sys.path.insert(0, {notebooks!r})
    import torch, train
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(2, 2)
    accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    position = train.Position()
    accelerator.register_for_checkpointing(position)
    options = train.arguments(["--checkpoints", sys.argv[1], "--resume", "--keep", "2"])
    checkpoints = train.Checkpoints(accelerator, options)

    def save(update):
        position.update = update
        with torch.no_grad():
            model.weight.fill_(update)
        checkpoints.save(update)

    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    def half_removed(folder):
        (folder / "optimizer.bin").unlink()
        die()

    def after(owner, name, count=1):
        whole, calls = getattr(owner, name), []
        def dying(*arguments, **options):
            value = whole(*arguments, **options)
            calls.append(1)
            return die() if len(calls) == count else value
        setattr(owner, name, dying)

    points = dict(
        folder=lambda: after(train.Path, "mkdir"),
        model=lambda: after(torch, "save"),
        files=lambda: after(accelerator, "save_state"),
        digests=lambda: after(train, "digest", 2),
        manifest=lambda: after(train.Path, "write_text"),
        renamed=lambda: after(train.Path, "rename"),
        hidden=lambda: after(train.Path, "rename", 2),
        removed=lambda: setattr(train.shutil, "rmtree", half_removed),
    )
    for update in (1, 2):
        save(update)
    for point, arm in points.items():
        copy = Path(sys.argv[1] + "-" + point)
        shutil.copytree(sys.argv[1], copy)
        checkpoints.folder = copy
        child = os.fork()
        if child == 0:
            arm()
            save(3)
            os._exit(0)
        code = os.waitpid(child, 0)[1]
        checkpoints.load_newest()
        loaded = position.update if bool((model.weight == position.update).all()) else "torn"
        save(4)
        left = sorted(path.name for path in copy.iterdir())
        print("told", point, code, loaded, *left, flush=True)
"""


def test_a_crash_in_mid_save_leaves_a_good_checkpoint(tmp_path: Path) -> None:
    """Killed at each step of a save, the newest whole checkpoint loads, and saving goes on."""
    program = tmp_path / "driver.py"
    program.write_text(textwrap.dedent(DRIVER.format(notebooks=str(NOTEBOOKS))), encoding="utf-8")
    finished = launch(f"python {program} {tmp_path / 'checkpoints'}", **CPU)
    assert finished.code == 0, finished.lines
    told = [line.split()[1:] for line in finished.lines if line.startswith("told")]
    before = ["folder", "model", "files", "digests", "manifest"]
    expected = [[point, "9", "2", "update-000002", "update-000004"] for point in before]
    after = ["renamed", "hidden", "removed"]
    expected += [[point, "9", "3", "update-000003", "update-000004"] for point in after]
    assert told == expected


@pytest.fixture(scope="module")
def train() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("train", NOTEBOOKS / "train.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def stored_settings(checkpoint: Path) -> dict:
    """Return the settings that a checkpoint was made with."""
    return json.loads((checkpoint / "manifest.json").read_text())["settings"]


@pytest.mark.parametrize("damage", ["missing", "truncated", "one bit"])
@pytest.mark.parametrize(
    "name", ["model.safetensors", "optimizer.bin", "random_states_0.pkl", "manifest.json"]
)
def test_a_damaged_checkpoint_is_named(
    whole, train, tmp_path: Path, name: str, damage: str
) -> None:
    """The message names the file and what to do; nothing is written."""
    checkpoint = tmp_path / "update-000010"
    shutil.copytree(whole.folder / "checkpoints" / checkpoint.name, checkpoint)
    settings = stored_settings(checkpoint)
    train.check(checkpoint, settings)  # whole, so far
    path, content = checkpoint / name, bytearray((checkpoint / name).read_bytes())
    if damage == "missing":
        path.unlink()
    elif damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 2] ^= 0x80
        path.write_bytes(content)
    before = contents(tmp_path)
    with pytest.raises(SystemExit, match=f"{name} is (missing|damaged)") as raised:
        train.check(checkpoint, settings)
    assert "Move update-000010 away" in str(raised.value)
    assert contents(tmp_path) == before


def test_a_damaged_checkpoint_stops_the_command(whole, tmp_path: Path) -> None:
    """The run ends with the message and an exit status; its files stay as they are."""
    shutil.copytree(whole.folder, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "checkpoints" / "update-000010" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    before = contents(tmp_path)
    finished = launch(kill.command(tmp_path, resume=True))
    assert finished.code == 1 and "model.safetensors is damaged" in finished.lines[-1]
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name, value", [("seed", 1), ("batch_size", 8), ("processes", 2)])
def test_another_run_does_not_go_on(whole, train, name: str, value: int) -> None:
    """What decides the order of the reviews or the updates must be the same."""
    checkpoint = whole.folder / "checkpoints" / "update-000010"
    settings = stored_settings(checkpoint) | {name: value}
    with pytest.raises(SystemExit, match=f"was made with {name} .*, and this run has {value}"):
        train.check(checkpoint, settings)


@pytest.mark.parametrize(
    "given, message",
    [
        (["--batch-size", "0"], "0 is not 1 or more"),
        (["--epochs", "two"], "argument --epochs: invalid"),
        (["--precision", "fp8"], "invalid choice: 'fp8'"),
        (["--resume"], "--resume needs --checkpoints FOLDER"),
        (["--checkpoints", "{whole}/checkpoints"], "is in use. Give --resume, or another folder"),
        (["--metrics", "{whole}/metrics.jsonl"], "exists. Give --resume, or another file"),
    ],
)
def test_arguments_that_make_no_sense(whole, train, capsys, given: list, message: str) -> None:
    """They are refused before anything is loaded or written."""
    with pytest.raises(SystemExit):
        train.arguments([argument.format(whole=whole.folder) for argument in given])
    assert message in capsys.readouterr().err


def test_the_help_explains_every_option(train, capsys, monkeypatch) -> None:
    """`--help` has a text and a default for each."""
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        train.arguments(["--help"])
    said = capsys.readouterr().out
    assert said.count("(default: ") == len(vars(train.arguments([])))


@pytest.mark.parametrize("shape, last", [("constant", 1.0), ("linear", 0.25)])
def test_the_schedule_counts_updates(train, shape: str, last: float) -> None:
    """Warm-up reaches the peak; a linear schedule reaches 0 one update after the last."""
    rates = [train.rate(update, 2, 6, shape) for update in range(7)]
    assert rates[:3] == [0.5, 1.0, 1.0]
    assert rates[5] == last and rates[6] == (1.0 if shape == "constant" else 0.0)


def test_torn_and_late_lines_of_metrics_are_dropped(train, tmp_path: Path) -> None:
    """What was written behind the checkpoint, or not to its end, is written again."""
    path = tmp_path / "metrics.jsonl"
    kept = [{"epoch": 0, "update": 1, "loss": 0.5}, {"epoch": 0, "update": 2, "loss": 0.5}]
    evaluated = {"epoch": 0, "update": 2, "validation_loss": 1.0}
    late = [evaluated, {"epoch": 1, "update": 3, "loss": 0.5}]
    lines = "".join(json.dumps(row) + "\n" for row in kept + late)
    path.write_text(lines + '{"epoch": 1, "upd')
    position = train.Position()
    position.update, position.micro_batch = 2, 4
    train.Metrics(path, position).write(epoch=0, update=2, validation_loss=1.0)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [*kept, evaluated]
