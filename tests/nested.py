"""Run pytest with this project's settings on a notebook, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from tests.chapters import ROOT


def run_pytest(notebook: Path, *options: str) -> list[str]:
    """Return, for each code cell of `notebook` in order, what its test reports; "" if it passed."""
    report = notebook.with_suffix(".xml")
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "--color=no"]
    command = [sys.executable, "-m", "pytest", *settings, "-p", "no:cacheprovider", *options]
    run = subprocess.run(
        [*command, f"--junitxml={report}", str(notebook)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    cells = ElementTree.parse(report).iter("testcase")
    reports = ["".join(child.text or "" for child in cell) for cell in cells]
    assert run.returncode == int(any(reports)), run.stdout
    return reports
