"""The files in notebooks/configs/: what each sets, what it says of itself, and runs where possible.

There is no GPU here. What `accelerate launch` would hand down is built by its own functions, up to
the point where it starts processes; what a CPU can start is started.
"""

import json
import re
import shlex
import sys
from argparse import Namespace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from accelerate.commands import launch as accelerate_launch
from accelerate.commands.config.config_args import ClusterConfig, load_config_from_file
from accelerate.utils import DistributedType
from accelerate.utils.launch import (
    prepare_deepspeed_cmd_env,
    prepare_multi_gpu_env,
    prepare_simple_launcher_cmd_env,
)

from helpers.launch import Running, free_port, launch
from tests.chapters import NOTEBOOKS

CONFIGS = NOTEBOOKS / "configs"
NOWHERE = {"fsdp2", "deepspeed_zero2"}  # need GPUs to start at all
CPU = {"ACCELERATE_USE_CPU": "1"}

# What the name of a file promises: kind, precision, processes in all, machines.
PROMISED = {
    "cpu_two_processes": (DistributedType.NO, "bf16", 1, 1),  # torchrun makes two of it
    "one_gpu_bf16": (DistributedType.NO, "bf16", 1, 1),
    "several_gpus_ddp": (DistributedType.MULTI_GPU, "bf16", 2, 1),
    "fsdp2": (DistributedType.FSDP, "bf16", 2, 1),
    "deepspeed_zero2": (DistributedType.DEEPSPEED, "bf16", 2, 1),
    "two_machines": (DistributedType.MULTI_GPU, "bf16", 2, 2),
}

# What the script's processes find in their environment.
HANDED_DOWN = {
    "cpu_two_processes": {"ACCELERATE_USE_CPU": "True", "OMP_NUM_THREADS": "1"},
    "one_gpu_bf16": {"ACCELERATE_USE_CPU": "False"},
    "several_gpus_ddp": {},
    "fsdp2": {
        "ACCELERATE_USE_FSDP": "true",
        "FSDP_VERSION": "2",
        "FSDP_AUTO_WRAP_POLICY": "TRANSFORMER_BASED_WRAP",
        "FSDP_TRANSFORMER_CLS_TO_WRAP": "BertLayer",
        "FSDP_RESHARD_AFTER_FORWARD": "true",
        "FSDP_OFFLOAD_PARAMS": "false",
        "FSDP_STATE_DICT_TYPE": "SHARDED_STATE_DICT",
        "FSDP_CPU_RAM_EFFICIENT_LOADING": "false",
    },
    "deepspeed_zero2": {
        "ACCELERATE_USE_DEEPSPEED": "true",
        "ACCELERATE_DEEPSPEED_ZERO_STAGE": "2",
        "ACCELERATE_GRADIENT_CLIPPING": "1.0",
        "ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE": "none",
        "ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE": "none",
        "ACCELERATE_DEEPSPEED_ZERO3_INIT": "false",
    },
    "two_machines": {},
}

each_file = pytest.mark.parametrize("name", PROMISED)


def said(name: str) -> str:
    """Return what a file says of itself: its first lines, the comments."""
    text = (CONFIGS / f"{name}.yaml").read_text(encoding="utf-8")
    comment = re.match(r"(#.*\n)+", text)[0]
    return "\n".join(line.removeprefix("#").strip() for line in comment.splitlines())


def commands(name: str) -> list[str]:
    """Return the commands that a file gives."""
    return re.findall(r"^accelerate launch .*$", said(name), re.MULTILINE)


def stored(name: str) -> ClusterConfig:
    """Return what Accelerate's own loader makes of a file."""
    return load_config_from_file(str(CONFIGS / f"{name}.yaml"))


def parsed(command: str, monkeypatch: pytest.MonkeyPatch) -> Namespace:
    """Return a command's arguments as `accelerate launch` has them once it has read the file."""
    monkeypatch.chdir(NOTEBOOKS)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    args = accelerate_launch.launch_command_parser().parse_args(shlex.split(command)[2:])
    return accelerate_launch._validate_launch_command(args)[0]


def handed_down(args: Namespace) -> dict[str, str]:
    """Return the environment of the script, by the function that `accelerate launch` would take."""
    if args.use_deepspeed:
        args.deepspeed_fields_from_accelerate_config = ""
        return prepare_deepspeed_cmd_env(args)[1]
    if args.use_fsdp or args.multi_gpu:
        return prepare_multi_gpu_env(args)
    return prepare_simple_launcher_cmd_env(args)[1]


@pytest.fixture(scope="module")
def train() -> ModuleType:
    """The script as a module."""
    spec = spec_from_file_location("train", NOTEBOOKS / "train.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_those_that_are_tested() -> None:
    """One for each way to launch, and each of them has its promise and its environment."""
    files = [path.name for path in CONFIGS.iterdir()]
    assert sorted(files) == sorted(f"{name}.yaml" for name in PROMISED)
    assert len(files) == 6 and PROMISED.keys() == HANDED_DOWN.keys()


@each_file
def test_a_file_holds_what_its_name_says(name: str) -> None:
    """Accelerate's loader takes it, without an unknown key, and finds these values."""
    config = stored(name)
    found = config.distributed_type, config.mixed_precision, config.num_processes
    assert (*found, config.num_machines) == PROMISED[name]
    assert config.use_cpu == name.startswith("cpu")


def test_an_unknown_key_is_found(tmp_path: Path) -> None:
    """The loader refuses what it does not know, so a misspelt key in a file fails its test."""
    path = tmp_path / "misspelt.yaml"
    path.write_text((CONFIGS / "fsdp2.yaml").read_text("utf-8") + "mixed_precison: bf16\n", "utf-8")
    with pytest.raises(ValueError, match="mixed_precison"):
        load_config_from_file(str(path))


@each_file
def test_keys_of_a_section_are_known(name: str) -> None:
    """The loader looks at no key below `fsdp_config`, so each must be an option of the command."""
    config = stored(name)
    known = vars(accelerate_launch.launch_command_parser().parse_args(["train.py"]))
    assert bool(config.fsdp_config) == (name == "fsdp2")
    assert bool(config.deepspeed_config) == (name == "deepspeed_zero2")
    for key in [*config.fsdp_config, *config.deepspeed_config]:
        assert key in known, key


@each_file
def test_the_first_lines_say_whether_it_was_run(name: str) -> None:
    """`Run: here` or `Not run …`, what then did read it, and from where the command is given."""
    text = " ".join(said(name).split())
    assert ("Run: here, on a CPU" in text) == (name == "cpu_two_processes")
    assert ("Not run" in text) == (name != "cpu_two_processes")
    assert "tests/test_configs.py" in text and "From the folder notebooks/" in text
    assert ("no GPU here" in text or "none here" in text) == (name != "cpu_two_processes")
    assert ("Not run:" in text) == (name in NOWHERE)


@each_file
def test_the_command_is_one_that_exists(name: str, train: ModuleType, monkeypatch) -> None:
    """It names this file and train.py, and train.py knows the options behind it."""
    assert len(commands(name)) == stored(name).num_machines
    for rank, command in enumerate(commands(name)):
        args = parsed(command, monkeypatch)
        assert Path(args.config_file).resolve() == CONFIGS / f"{name}.yaml"
        words = [args.training_script, *args.training_script_args]
        script = words.index("train.py")
        assert Path(words[script]).exists()
        assert train.arguments(words[script + 1 :]).batch_size in (8, 16)
        assert args.machine_rank in (None, rank)


@each_file
def test_what_the_script_finds_in_its_environment(name: str, monkeypatch) -> None:
    """The precision, and what else the file is for."""
    for command in commands(name):
        environment = handed_down(parsed(command, monkeypatch))
        expected = HANDED_DOWN[name] | {"ACCELERATE_MIXED_PRECISION": "bf16"}
        assert {key: environment.get(key) for key in expected} == expected
        # Only DeepSpeed's file could set it, and train.py's own option would then do nothing.
        assert "ACCELERATE_GRADIENT_ACCUMULATION_STEPS" not in environment


def test_the_two_machines_meet(monkeypatch) -> None:
    """Each command starts its share of the processes, and names the address of the first."""
    for rank, command in enumerate(commands("two_machines")):
        args = parsed(command, monkeypatch)
        handed_down(args)
        assert (args.nnodes, args.node_rank, args.nproc_per_node) == ("2", rank, "1")
        assert args.rdzv_endpoint == "10.0.0.1:29500"


def test_two_processes_would_get_all_threads_each(monkeypatch) -> None:
    """Why the command for the CPU names a number of threads: without it, each takes all."""
    monkeypatch.setattr("psutil.cpu_count", lambda logical: 2)
    (command,) = commands("cpu_two_processes")
    without = command.replace("--num_cpu_threads_per_process 1 ", "")
    assert without != command
    assert handed_down(parsed(without, monkeypatch))["OMP_NUM_THREADS"] == "2"


def test_two_processes_of_a_cpu_file_would_be_one(tmp_path: Path, monkeypatch) -> None:
    """What the file for the CPU says of the obvious one: the command starts one script."""
    obvious = (CONFIGS / "cpu_two_processes.yaml").read_text(encoding="utf-8")
    for old, new in (("'NO'", "MULTI_CPU"), ("num_processes: 1", "num_processes: 2")):
        assert old in obvious
        obvious = obvious.replace(old, new)
    (tmp_path / "obvious.yaml").write_text(obvious, encoding="utf-8")
    command = f"accelerate launch --config_file {tmp_path}/obvious.yaml train.py"
    args = parsed(command, monkeypatch)
    assert (args.num_processes, args.multi_gpu, args.use_fsdp, args.mpirun_hostfile) == (
        2, False, False, None,
    )  # fmt: skip
    assert prepare_simple_launcher_cmd_env(args)[0] == [sys.executable, "train.py"]


# Runs the script that follows, or what each script begins with, and says what a process has found.
# In one piece, since ranks write at the same time.
PROBE = """
import runpy, sys
from accelerate import Accelerator
from accelerate.state import AcceleratorState
del sys.argv[0]
if sys.argv:
    runpy.run_path(sys.argv[0], run_name="__main__")
else:
    accelerator = Accelerator()
    accelerator.wait_for_everyone()
    accelerator.end_training()
found = AcceleratorState()
text = f"rank {found.process_index} of {found.num_processes}, {found.mixed_precision}\\n"
sys.stdout.write(text)
"""
TOGETHER = ["rank 0 of 2, bf16", "rank 1 of 2, bf16"]


def probed(command: str, folder: Path, options: str = "", script: str = "") -> str:
    """Return a command with the probe, and `script` inside it, in the place of train.py."""
    probe = folder / "probe.py"
    probe.write_text(PROBE, encoding="utf-8")
    before = command.partition("train.py")[0].replace("configs/", f"{CONFIGS}/")
    return f"{before}{options} {probe} {script}"


def reported(lines: list[str]) -> list[str]:
    """Return what the ranks said, in the order of the ranks."""
    return sorted(re.findall(r"rank \d of .*", "\n".join(lines)))


def test_train_runs_on_two_processes(tmp_path: Path) -> None:
    """The command for the CPU: both processes take part in one run, in the file's precision."""
    (command,) = commands("cpu_two_processes")
    checkpoints = tmp_path / "checkpoints"
    script = f"{NOTEBOOKS / 'train.py'} --batch-size 8 --reviews 16 --validation 8"
    command = probed(command, tmp_path, script=f"{script} --checkpoints {checkpoints}")
    finished = launch(command, seconds=90)
    assert finished.code == 0, finished.lines
    assert reported(finished.lines) == TOGETHER
    (manifest,) = checkpoints.glob("update-*/manifest.json")
    assert json.loads(manifest.read_text("utf-8"))["settings"]["processes"] == 2


@pytest.mark.parametrize(
    "name, environment, expected",
    [
        ("one_gpu_bf16", {}, ["rank 0 of 1, bf16"]),
        ("several_gpus_ddp", CPU, TOGETHER),
        ("several_gpus_ddp", {}, ["rank 0 of 1, bf16"] * 2),
    ],
    ids=["one", "two, together", "two, each alone"],
)
def test_a_file_for_gpus_on_a_cpu(name: str, environment: dict, expected: list, tmp_path) -> None:
    """The number of processes and the precision arrive, and what the file says of a CPU is so."""
    (command,) = commands(name)
    finished = launch(probed(command, tmp_path), seconds=60, **environment)
    assert finished.code == 0, finished.lines
    assert reported(finished.lines) == expected


def test_two_machines_are_rehearsed(tmp_path: Path) -> None:
    """Both commands on this machine, over its loopback address: one run of two processes."""
    meet = f"--main_process_ip 127.0.0.1 --main_process_port {free_port()}"
    both = [probed(command, tmp_path, meet) for command in commands("two_machines")]
    with Running(both[0], **CPU) as first, Running(both[1], **CPU) as second:
        finished = first.wait(60), second.wait(10)
    assert [one.code for one in finished] == [0, 0], finished
    assert reported(finished[0].lines + finished[1].lines) == TOGETHER
