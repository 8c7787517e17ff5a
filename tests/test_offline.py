"""With the network refused everything still passes; here, that it is refused, and where."""

import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import nbformat
import pytest

from tests import loopback
from tests.nested import run_pytest
from tests.plugin import changes_results

# Names and addresses that are reserved and lead nowhere (RFC 2606, RFC 5737, RFC 3849).
NAME, ADDRESS, ADDRESS_6 = "blocked.invalid", "192.0.2.1", "2001:db8::1"
REFUSAL = "the tests run without a network"
ASK = f"""
import socket
try:
    socket.create_connection(({NAME!r}, 80), timeout=5)
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("host", [NAME, ADDRESS, ADDRESS_6])
def test_a_connection_is_refused_here(host: str) -> None:
    """In pytest's own process neither a name nor an address can be reached."""
    with pytest.raises(OSError, match=f"{REFUSAL}, and something asked for {host}"):
        socket.create_connection((host, 80), timeout=5)


def test_every_way_out_is_refused_here() -> None:
    """Looking a name up, a direct connection, a datagram: each raises before it leaves."""
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    ways = [
        lambda: socket.getaddrinfo(NAME, 80),
        lambda: socket.gethostbyname(NAME),
        lambda: tcp.connect((ADDRESS, 80)),
        lambda: tcp.connect_ex((ADDRESS, 80)),
        lambda: udp.sendto(b"", (ADDRESS, 53)),
    ]
    with tcp, udp:
        for way in ways:
            with pytest.raises(OSError, match=REFUSAL):
                way()


def test_a_process_started_from_here_is_refused() -> None:
    """A Python process that a test starts inherits the refusal."""
    run = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == f"{REFUSAL}, and something asked for {NAME}\n"


def test_a_kernel_is_refused(tmp_path: Path) -> None:
    """A cell of a notebook that pytest runs is refused, and says so in its compared output."""
    text = f"{REFUSAL}, and something asked for {NAME}\n"
    output = nbformat.v4.new_output("stream", name="stdout", text=text)
    cell = nbformat.v4.new_code_cell(ASK, execution_count=1, outputs=[output])
    path = tmp_path / "asks.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    assert run_pytest(path) == [""]


def test_loopback_works() -> None:
    """A server on this machine can be reached: kernels and the tests of the Hub need it."""
    with loopback.answering(200) as hub:
        assert urllib.request.urlopen(hub.url, timeout=5).status == 200


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("COURSE_SOURCE", True),
        ("HF_ENDPOINT", True),
        ("HF_HUB_OFFLINE", True),
        ("ACCELERATE_MIXED_PRECISION", True),
        ("HF_HOME", False),
        ("HF_DATASETS_CACHE", False),
        ("OMP_NUM_THREADS", False),
        ("MPLBACKEND", False),
    ],
)
def test_which_settings_are_taken_out_of_the_environment(name: str, changes: bool) -> None:
    """What changes a result goes; threads, backends and the places of caches stay."""
    assert changes_results(name) is changes
