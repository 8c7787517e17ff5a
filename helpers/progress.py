"""Which exercises you have solved: `python -m helpers.progress`.

Each check adds a line to a file in the course's folder. Nothing leaves this machine. To begin
anew, delete the file.
"""

import json
import os
import re
from contextlib import suppress
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent
HEADING = re.compile(r"^### Exercise (\d+\.\d+) · (.+) · (★{1,3}) · (\d+) minutes$", re.MULTILINE)


def file() -> Path:
    """Return where progress is noted; the environment variable COURSE_PROGRESS moves it."""
    return Path(os.environ.get("COURSE_PROGRESS") or COURSE / ".progress.jsonl")


def record(number: str, solved: bool) -> None:
    """Note that exercise `number` was tried, and whether it was solved. Never raises."""
    line = json.dumps({"exercise": number, "solved": solved})
    try:
        with file().open("a", encoding="utf-8") as lines:
            lines.write(line + "\n")
    except OSError as error:
        print(f"{number}  (not noted in {file().name}: {error.strerror})")


def states() -> dict[str, str]:
    """Return `solved` or `tried` for each exercise that was noted.

    A file with lines that cannot be read is kept under another name, which is printed; the lines
    that can be read go on to count.
    """
    path = file()
    try:
        noted = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        print(f"{path.name} cannot be read: {error.strerror}. Move it away to begin anew.")
        return {}
    found: dict[str, str] = {}
    good = []
    for line in noted:
        with suppress(ValueError, TypeError, KeyError):
            entry = json.loads(line)
            number, solved = entry["exercise"], entry["solved"]
            if isinstance(number, str) and isinstance(solved, bool):
                good.append(line)
                if solved or number not in found:
                    found[number] = "solved" if solved else "tried"
    if len(good) < len(noted):
        _set_aside(path, good, len(noted) - len(good))
    return found


def exercises() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return number, title, stars and minutes of the exercises of each chapter, by its title.

    Raises FileNotFoundError where the course's notebooks are not beside this package.
    """
    notebooks = sorted((COURSE / "notebooks").glob("*.ipynb"))
    if not notebooks:
        raise FileNotFoundError(
            f"There are no notebooks in {COURSE / 'notebooks'}. Install the course from its own "
            "folder: python -m pip install -r requirements.txt"
        )
    found = {}
    for path in notebooks:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        if rows := HEADING.findall(text):
            found[title[1] if title else path.stem] = rows
    return found


def show() -> None:
    """Print each chapter with its exercises: solved, tried or open."""
    noted = states()
    for title, rows in exercises().items():
        solved = sum(noted.get(number) == "solved" for number, *_ in rows)
        print(f"{title}: {solved} of {len(rows)} solved")
        for number, name, stars, _ in rows:
            print(f"  {noted.get(number, 'open'):6}  {number}  {stars:3}  {name}")


def _set_aside(path: Path, good: list[bytes], damaged: int) -> None:
    """Keep a damaged file under a free name, and write what was readable in its place."""
    count = 1
    while (aside := path.with_name(f"{path.stem}-damaged-{count}{path.suffix}")).exists():
        count += 1
    lines = "1 line" if damaged == 1 else f"{damaged} lines"
    print(f"{lines} of {path.name} cannot be read. The others still count.")
    try:
        path.rename(aside)
        path.write_bytes(b"".join(line + b"\n" for line in good))
        print(f"The file is kept as {aside.name}.")
    except OSError as error:
        print(f"The file cannot be moved: {error.strerror}.")


if __name__ == "__main__":
    show()
