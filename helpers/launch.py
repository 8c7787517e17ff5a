"""Start a command that may start more processes, and leave none of them behind."""

import ctypes
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import NamedTuple

import psutil

RANK = re.compile(r"^\[\w+?(\d+)\]:")  # torchrun marks lines so when it is given `--tee 3`
MARK = "COURSE_LAUNCH"  # in the environment of all processes of one command
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
GRACE = 5  # seconds between asking a process to stop and stopping it


class Finished(NamedTuple):
    """What came of a command. `code` is its exit status, None when it was stopped."""

    code: int | None
    lines: list[str]

    def show(self, pattern: str = "") -> None:
        """Print the lines that match a regular expression, by default all of them."""
        for line in self.lines:
            if re.search(pattern, line):
                print(line)


class Running:
    """A command that has been started; use it with `with`, and no process outlives the block."""

    def __init__(self, command: str, **environment: str) -> None:
        """Start `command`, written as in a shell, with more environment variables."""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  closed at the end of the block
        self._mark = uuid.uuid4().hex
        # The kernel's own Python first, with one thread for each process: two processes of two
        # threads each can stall for minutes on two cores.
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        self._folder = tempfile.TemporaryDirectory()  # torchrun leaves logs where it may
        settings = {"PATH": path, "OMP_NUM_THREADS": "1", "TMPDIR": self._folder.name}
        self.process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT,
            env=os.environ | settings | environment | {MARK: self._mark},
            preexec_fn=_stop_with_parent if LIBC else None,
        )  # fmt: skip

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._output.close()
        self._folder.cleanup()

    def wait(self, seconds: float) -> Finished:
        """Wait at most `seconds`, stop what is still running, and return what came of it."""
        code = None
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.stop()
        return Finished(code, self.lines())

    def lines(self) -> list[str]:
        """Return what was printed so far, the lines of marked ranks in the order of the ranks."""
        self._output.seek(0)
        text = self._output.read().decode("utf-8", errors="replace")
        lines = [line.rpartition("\r")[2] for line in text.splitlines()]
        return sorted(
            lines, key=lambda line: int(marked[1]) if (marked := RANK.match(line)) else -1
        )

    def processes(self) -> list[psutil.Process]:
        """Return what is running of the command and of all that it started, orphans too."""
        found = []
        for process in psutil.process_iter():
            try:
                running = process.status() != psutil.STATUS_ZOMBIE
                if running and process.environ().get(MARK) == self._mark:
                    found.append(process)
            except psutil.Error:  # it has ended, or is somebody else's
                continue
        return found

    def stop(self) -> None:
        """Stop the command and all that it started; first ask, then make."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        left = self.processes()
        for process in left:
            process.kill()
        psutil.wait_procs(left, GRACE)


def launch(command: str, *, seconds: float = 60, **environment: str) -> Finished:
    """Run `command`, written as in a shell, and return its exit status and its lines.

    Its lines are sorted by rank where torchrun has marked them (`--tee 3`). After `seconds`, or
    when the cell is interrupted, the command and every process that it started are stopped.
    """
    with Running(command, **environment) as running:
        return running.wait(seconds)


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _stop_with_parent() -> None:
    # PR_SET_PDEATHSIG: a kernel that is killed takes what it has started with it.
    LIBC.prctl(1, signal.SIGTERM)
