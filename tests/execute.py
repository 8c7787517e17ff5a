"""Re-execute notebooks in place: `python -m tests.execute` for all, or with their names.

Each runs in a fresh kernel. What is stored is minimal, so that a second run changes no byte but
measured times. The runs that chapters save become the stored runs in `notebooks/reference_runs/`;
the chapter that compares them is run after any of them has changed.
"""

import argparse
import os
import shutil
from pathlib import Path
from time import perf_counter, time

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
COMPARISON = NOTEBOOKS / "09_compare_variants.ipynb"
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def execute(path: Path) -> float:
    """Run one notebook and store its outputs; return the seconds it took, kernel start included.

    Raises nbclient's CellExecutionError when a cell fails; the file is then left as it was.
    """
    notebook = nbformat.read(path, as_version=4)
    started = perf_counter()
    NotebookClient(
        notebook,
        timeout=240,
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
    ).execute()
    seconds = perf_counter() - started
    tidy(notebook)
    nbformat.write(notebook, path)
    return seconds


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Leave in a notebook only what is the same after every run: in place."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        merged: list = []
        for output in cell.get("outputs", []):
            # Where a kernel cuts a stream in two depends on the clock.
            if merged and output.get("name", "") == merged[-1].get("name"):
                merged[-1].text += output.text
            else:
                merged.append(output)
        if cell.cell_type == "code":
            cell.outputs = merged


def main() -> None:
    """Run the notebooks named on the command line, or all of them in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="paths; all when left out")
    chosen = parser.parse_args().notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    os.environ.pop("COURSE_SOURCE", None)
    os.environ["COURSE_PROGRESS"] = os.devnull  # stored outputs are those of a new learner
    chosen = [path.resolve() for path in chosen]
    for path in chosen:  # which grows where a run has changed
        started = time()
        seconds = execute(path)
        for run in sorted((NOTEBOOKS / "my_runs").glob("*")):
            if run.stat().st_mtime >= started:
                shutil.copy(run, NOTEBOOKS / "reference_runs" / run.name)
                if path != COMPARISON and chosen[-1] != COMPARISON:
                    chosen.append(COMPARISON)
        print(f"{path.name}: {seconds:.0f} s")


if __name__ == "__main__":
    main()
