"""What `launch` starts comes to an end, and everything that was started with it."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from helpers import launch

CHILDREN = """
import subprocess, sys, time
started = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                            start_new_session=True) for _ in range(2)]
print(*[process.pid for process in started], flush=True)
{then}
"""


def script(folder: Path, then: str) -> str:
    """Return the command that runs a script with two children and `then` something."""
    path = folder / "script.py"
    path.write_text(CHILDREN.format(then=then), encoding="utf-8")
    return f"python {path}"


def gone(pids: list[int]) -> bool:
    """Return whether none of the processes is running any more."""
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            continue
    return True


@pytest.mark.parametrize(
    "then, code",
    [
        ("time.sleep(60)", None),
        ("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", None),
        ("sys.exit(3)", 3),
        ("import os; os.kill(os.getpid(), 9)", -9),
    ],
    ids=["too slow", "deaf", "failed", "killed"],
)
def test_nothing_is_left(tmp_path: Path, monkeypatch, then: str, code: int | None) -> None:
    """However the command ends, the processes in sessions of their own end with it."""
    monkeypatch.setattr(launch, "GRACE", 1)
    seconds = 2 if code is None else 30
    finished = launch.launch(script(tmp_path, then), seconds=seconds)
    pids = [int(pid) for pid in finished.lines[0].split()]
    assert finished.code == code and len(pids) == 2 and gone(pids)


def test_an_interrupted_cell_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C and Jupyter's stop button raise KeyboardInterrupt in the middle of the waiting."""
    with launch.Running(script(tmp_path, "time.sleep(60)")) as running:
        while not running.lines():
            time.sleep(0.05)
        pids = [int(pid) for pid in running.lines()[0].split()]
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                running.wait(30)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert gone(pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_a_killed_kernel_stops_its_command(tmp_path: Path) -> None:
    """SIGKILL gives the kernel no time to clean up; the command is told by the system."""
    note = tmp_path / "pid"
    program = f"""
        from helpers.launch import Running
        from pathlib import Path
        running = Running("sleep 60")
        Path({str(note)!r}).write_text(str(running.process.pid))
        running.process.wait()
    """
    kernel = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)])
    while not (note.exists() and note.read_text()):
        time.sleep(0.05)
    pid = int(note.read_text())
    assert not gone([pid])
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait()
    for _ in range(100):
        if gone([pid]):
            return
        time.sleep(0.05)
    pytest.fail("the command goes on without its kernel")


def test_lines_come_in_the_order_of_the_ranks() -> None:
    """Marked lines are sorted by rank, in the order in which each rank wrote them."""
    program = (
        "[print(line) for line in ('[default1]:a', 'launcher', '[default0]:b', '[default1]:c')]"
    )
    finished = launch.launch(f'python -c "{program}"')
    assert finished.code == 0
    assert finished.lines == ["launcher", "[default0]:b", "[default1]:a", "[default1]:c"]


def test_free_ports_differ() -> None:
    """Two runs at once get ports of their own."""
    assert len({launch.free_port() for _ in range(5)}) > 1
