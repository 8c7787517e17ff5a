"""Is this machine ready for the course? `check` prints one line for each thing that matters."""

import os
import platform
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil
import torch
from accelerate.utils import is_bf16_available

from helpers.source import course_source

REQUIREMENTS = Path(__file__).parent.parent / "requirements.txt"
GIB = 2**30

Row = tuple[str, str, str, str]  # ok, warn or fix; what; found; what to do


def check() -> None:
    """Print a table of `ok`, `warn` and `fix`, each with what was found and what to do."""
    rows = [_python(), *_packages(), *_machine(), _source()]
    for verdict, what, found, advice in rows:
        print(f"{verdict:4}  {what:13}  {found}" + (f"  -> {advice}" if advice else ""))
    count = {verdict: sum(row[0] == verdict for row in rows) for verdict in ("ok", "warn", "fix")}
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()))


def pins() -> dict[str, str]:
    """Return the versions that requirements.txt pins, by package."""
    return dict(re.findall(r"^([\w-]+)==(\S+)$", REQUIREMENTS.read_text(), flags=re.MULTILINE))


def _python() -> Row:
    found = platform.python_version()
    if (3, 11) <= sys.version_info < (3, 14):
        return "ok", "python", found, ""
    return "fix", "python", found, "make a virtual environment with Python 3.11, 3.12 or 3.13"


def _packages() -> list[Row]:
    rows = []
    for package, pinned in pins().items():
        try:
            found = version(package).split("+")[0]
        except PackageNotFoundError:
            found = "missing"
        if found == pinned:
            rows.append(("ok", package, found, ""))
        else:
            verdict = "fix" if found == "missing" else "warn"
            rows.append((verdict, package, found, f"python -m pip install {package}=={pinned}"))
    return rows


def _machine() -> list[Row]:
    gpu = torch.cuda.is_available()
    device = torch.cuda.get_device_name(0) if gpu else "cpu: every chapter is made for it"
    affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    memory = psutil.virtual_memory().available / GIB
    disk = shutil.disk_usage(Path.cwd()).free / GIB
    bf16 = is_bf16_available()
    rows = (
        (True, "device", device, ""),
        (cores >= 2, "cores", str(cores), "expect twice the times that the chapters state"),
        (memory >= 2, "memory", f"{memory:.1f} GiB available",
         "close other kernels: a chapter takes up to 1.5 GB"),
        (disk >= 0.5, "disk", f"{disk:.1f} GiB free",
         "chapters 3 and 5 write some megabytes into a temporary folder"),
        (bf16, "bf16", "available" if bf16 else "not available",
         "chapter 4 will compute its bf16 runs in float32"),
    )  # fmt: skip
    return [
        ("ok", what, found, "") if good else ("warn", what, found, advice)
        for good, what, found, advice in rows
    ]


def _source() -> Row:
    try:
        return "ok", "data source", course_source(), ""
    except ValueError as error:
        return "fix", "data source", os.environ["COURSE_SOURCE"], str(error)
