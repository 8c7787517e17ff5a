"""The checks of chapter 8's exercises."""

import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from accelerate import Accelerator, DataLoaderConfiguration, skip_first_batches
from torch.utils.data import DataLoader

from helpers.checks.core import Case, compare, reference, same

NOTHING = "Your function returns nothing. Is there a `return` in front of the result?"

# Entries of what is compared, as messages name them.
CALLS = "calls of work"
END = "place at the end"
IN_MID_SAVE = "new names of checkpoints in mid-save"
FILES = "files of update-2"
OTHERS = "other checkpoints"
WRITTEN = "written"
MADE_BY = "update-2 made by"
RETURNED = "returned"
CHECKPOINT = "checkpoint"
DISK = "files on the disk"


def _named(mistakes: Sequence[tuple[Any, str]], got: Any) -> str:
    """Return what is said to the first mistake whose result is `got`, or ""."""
    return next((sentence for wrong, sentence in mistakes if same(got, wrong)), "")


def _wrong_entry(expected: dict[str, Any], got: dict[str, Any]) -> str:
    return next(name for name in expected if not same(got.get(name), expected[name]))


COUNTS_UPDATES = (
    "That counts updates. Each of them took `window` micro-batches, or an epoch's rest."
)
OF_THE_RUN = "The second number counts from the beginning of the run. It belongs to the epoch."


def position(answer: Callable) -> None:
    """Check exercise 8.1: epoch and micro-batches done, from the number of updates."""
    settings = [
        ("no update, eight micro-batches, window 4", (0, 8, 4)),
        ("one update, eight micro-batches, window 4", (1, 8, 4)),
        ("two updates, eight micro-batches, window 4", (2, 8, 4)),
        ("five updates, eight micro-batches, window 4", (5, 8, 4)),
        ("one update, six micro-batches, window 4", (1, 6, 4)),
        ("two updates, six micro-batches, window 4", (2, 6, 4)),
        ("five updates, six micro-batches, window 4", (5, 6, 4)),
        ("seven updates, ten micro-batches, window 3", (7, 10, 3)),
        ("eight updates, five micro-batches, window 1", (8, 5, 1)),
        ("two updates, three micro-batches, window 8", (2, 3, 8)),
        ("four updates, one micro-batch, window 1", (4, 1, 1)),
    ]
    cases: list[Case] = [(described, partial(tuple, each)) for described, each in settings]
    compare("8.1", answer, _position, cases, _cause_of_8_1)


@reference
def _position(updates: int, batches: int, window: int) -> tuple[int, int]:
    epoch, since = divmod(updates, math.ceil(batches / window))
    return epoch, since * window


def _cause_of_8_1(arguments: tuple, expected: tuple[int, int], got: Any) -> str:
    updates, batches, window = arguments
    epoch, done = expected
    if got is None:
        return NOTHING
    if not isinstance(got, list | tuple) or len(got) != 2:
        return "Wanted are two numbers: the epoch, and how many of its micro-batches are done."
    full = max(1, batches // window)
    mistakes = (
        (
            (updates // full, updates % full * window),
            "Rounded down: the short window at the end of an epoch makes an update too.",
        ),
        (
            divmod(updates * window, batches),
            "Here a window goes on over the end of an epoch. It ends there, however short it is.",
        ),
        (
            (epoch - 1, batches),
            "The epoch is over. The run stands at the beginning of the next one.",
        ),
        ((epoch + 1, done), "Epochs are counted from 0: how many are over?"),
        ((done, epoch), "The two numbers are in the wrong order: first the epoch."),
        (divmod(updates, batches), COUNTS_UPDATES),
        ((epoch, done // window), COUNTS_UPDATES),
        ((epoch, done - 1), "That is the index of the last one. How many are done?"),
        ((epoch, epoch * batches + done), OF_THE_RUN),
        ((epoch, updates * window), OF_THE_RUN),
    )
    return _named(mistakes, got) or "How many updates has an epoch, its short window included?"


def rest_of_run(answer: Callable) -> None:
    """Check exercise 8.2: the batches that are left, in the order of the uninterrupted run."""
    cases: list[Case] = [
        ("one epoch of one batch, from the beginning", lambda: _stopped(2, 0, 0, 1)),
        ("four batches, four epochs, stopped at epoch 1, batch 3", lambda: _stopped(8, 1, 3, 4)),
        ("four batches, three epochs, stopped at epoch 0, batch 1", lambda: _stopped(8, 0, 1, 3)),
        ("four batches, two epochs, from the beginning", lambda: _stopped(8, 0, 0, 2)),
        ("a last batch of one sample, the only one left", lambda: _stopped(7, 2, 3, 3)),
        ("four batches, four epochs, stopped at epoch 2, batch 0", lambda: _stopped(8, 2, 0, 4)),
        ("four batches, three epochs, stopped at epoch 0, batch 4", lambda: _stopped(8, 0, 4, 3)),
        ("nothing left of two epochs", lambda: _stopped(8, 2, 0, 2)),
    ]
    compare("8.2", answer, _rest_of_run, cases, _cause_of_8_2, _worked)


class Work:
    """Called with a batch, notes its numbers and the place."""

    def __init__(self, place: SimpleNamespace) -> None:
        self.place = place
        self.calls: list[tuple[Any, list]] = []

    def __call__(self, batch: torch.Tensor) -> None:
        """Note what was asked for, and when."""
        self.calls.append((batch.tolist(), _stands(self.place)))


def _stands(place: SimpleNamespace) -> list[int]:
    return [place.epoch, place.batch]


def _stopped(samples: int, epoch: int, batch: int, epochs: int) -> tuple:
    """Return a loader in batches of two, the place where a run stopped, and what is called."""
    order = DataLoaderConfiguration(use_seedable_sampler=True, data_seed=3)
    accelerator = Accelerator(cpu=True, dataloader_config=order)
    loader = accelerator.prepare(DataLoader(torch.arange(samples), 2, shuffle=True))
    place = SimpleNamespace(epoch=epoch, batch=batch)
    return loader, place, epochs, Work(place)


@reference
def _rest_of_run(loader, place, epochs: int, work: Callable) -> None:
    _go_on(loader, place, epochs, work)


def _go_on(
    loader, place, epochs: int, work: Callable, fault: str = "", plain: bool = False
) -> None:
    """Do the rest of a run, or make the mistake that `fault` names.

    With `plain`, an epoch of which nothing is skipped takes the loader as it is.
    """
    start, done = place.epoch, place.batch
    if fault == "named once":
        loader.set_epoch(start)
    first = 0 if fault.startswith("from epoch 0") else start
    last = {
        "epochs more": start + epochs,
        "one more": epochs + 1,
        "one epoch": min(start + 1, epochs),
    }.get(fault, epochs)
    for epoch in range(first, last):
        skipped = {
            "skips always": done,
            "skips never": 0,
            "from epoch 0, skips at its start": done if epoch == 0 else 0,
            "one too many": done + 1 if epoch == start else 0,
            "one too few": max(0, done - 1) if epoch == start else 0,
        }.get(fault, done if epoch == start else 0)
        if fault not in ("unnamed", "named once", "named late", "made before it is named"):
            loader.set_epoch(epoch + (fault == "numbered from 1"))
        rest = loader if plain and not skipped else skip_first_batches(loader, skipped)
        if fault == "made before it is named":
            loader.set_epoch(epoch)
        place.epoch, place.batch = epoch, skipped
        for batch in rest:
            work(batch)
            place.batch += 1
        if fault == "named late":
            loader.set_epoch(epoch)
        place.epoch, place.batch = epoch + 1, 0


AGAIN = "Epochs that are over are gone through again: begin with `place.epoch`."
LATE = (
    "`set_epoch` comes too late. The order is made when an epoch begins, and what "
    "`skip_first_batches` returns keeps the one that it found: name the epoch before both."
)
FAULTS = (
    (
        "skips always",
        "Every epoch loses its beginning. Batches are left out in the epoch in which the run "
        "stopped, and in no later one.",
    ),
    (
        "skips never",
        "The epoch in which the run stopped begins again from its first batch. Is `place.batch` "
        "used in that epoch, whichever it is?",
    ),
    ("from epoch 0", AGAIN),
    ("from epoch 0, skips at its start", AGAIN),
    ("epochs more", "`epochs` is the number of epochs of the whole run, and not of its rest."),
    ("one more", "One epoch too many: counted from 0, the last one is `epochs - 1`."),
    (
        "one epoch",
        "Nothing comes after the first epoch. Either your loop ends there, or `place.batch` is not "
        "0 again, and the next epoch is skipped.",
    ),
    ("one too many", "One batch is skipped that was not done. `place.batch` is a number of them."),
    ("one too few", "The last batch before the stop is done twice. Skip `place.batch` of them."),
    (
        "unnamed",
        "The loader is new, and takes its first epoch for epoch 0: tell it with `set_epoch`.",
    ),
    ("named late", LATE),
    ("made before it is named", LATE),
    (
        "named once",
        "`set_epoch` stands in front of the loop. Each epoch has to be named before it begins.",
    ),
    (
        "numbered from 1",
        "`set_epoch` gets another number than the uninterrupted run gave it: count from 0.",
    ),
)


def _worked(arguments: tuple, _: Any) -> dict[str, Any]:
    _, place, _, work = arguments
    found: dict[str, Any] = {CALLS: len(work.calls)}
    for number, (numbers, stood) in enumerate(work.calls, start=1):
        found[f"batch {number}"] = numbers
        found[f"place at batch {number}"] = stood
    return {**found, END: _stands(place)}


def _cause_of_8_2(arguments: tuple, expected: dict[str, Any], got: dict[str, Any]) -> str:
    loader, place, _, _ = arguments
    wrong = _wrong_entry(expected, got)
    if not wrong.startswith("place"):
        return _cause_of_batches(arguments, got)
    begun = [place.epoch, place.batch]
    return _cause_of_place(wrong, begun, len(loader), expected[wrong], got[wrong])


def _batches(found: dict[str, Any]) -> list:
    return [numbers for entry, numbers in found.items() if entry.startswith("batch")]


def _cause_of_batches(arguments: tuple, got: dict[str, Any]) -> str:
    loader, place, epochs, _ = arguments
    if not got[CALLS]:
        return (
            "`work` was never called. Call it with each batch that is left. With a `yield` in it, "
            "a function does nothing when it is called."
        )
    begun = _stands(place)
    for (fault, sentence), plain in product(FAULTS, (False, True)):
        place.epoch, place.batch = begun
        loader.set_epoch(0)
        work = Work(place)
        _go_on(loader, place, epochs, work, fault, plain)
        if same(_batches(got), [numbers for numbers, _ in work.calls]):
            return sentence
    return "In each epoch: name it, leave out what is done of it, and call `work` with the rest."


def _cause_of_place(
    entry: str, begun: list[int], length: int, expected: list[int], got: list[int]
) -> str:
    if entry == END:
        return (
            "After its last batch an epoch is over, and the place is the next one's beginning. "
            "Whoever resumes from there has nothing left to do."
        )
    (epoch, batch), (other_epoch, other_batch) = expected, got
    if other_epoch != epoch:
        return "`place.epoch` has to be the number of the epoch that is under way."
    if other_batch == batch + 1:
        return "This batch counts as done before `work` has done it. Count it after the call."
    if epoch == begun[0] and other_batch == batch - begun[1]:
        return (
            "You count from 0 after the resume. A checkpoint made here would lie, and the next "
            "resume would do batches twice."
        )
    if epoch != begun[0] and batch == 0:
        return "`place.batch` belongs to the epoch: a new one begins at 0."
    return "`place.batch` has to grow by one with each batch that `work` has done."


def save_whole(answer: Callable) -> None:
    """Check exercise 8.3: a checkpoint that is whole or not there, whenever the process ends."""
    with tempfile.TemporaryDirectory() as scratch:
        save = partial(_to_save, scratch)
        cases: list[Case] = [
            ("the first checkpoint", lambda: save()),
            ("a second one, beside update-1", lambda: save("update-1")),
            ("a disk that is full after one file", lambda: save("update-1", room=1)),
            ("a disk that is full at once", lambda: save("update-1", room=0)),
            ("update-2 is there already, and the disk is full", lambda: save("update-2", room=1)),
            ("a save that was killed after one file, and now again", lambda: _killed(save, answer)),
        ]
        compare("8.3", answer, _save_whole, cases, _cause_of_8_3, _saved)


class _Killed(BaseException):
    """Ends a save, as a signal would."""


class Writer:
    """Writes two files, or fails before one; notes at each what a kill would leave."""

    def __init__(self, folder: Path, room: int = 2, names: Sequence[str] = ()) -> None:
        self.folder, self.room = folder, room
        self.names = names or ("model.safetensors", "optimizer.bin")
        self.before = _checkpoints(folder.parent)
        self.left = len(list(folder.parent.iterdir())) > len(self.before)  # by a killed save
        self.after_the_kill: Path | None = None
        self.into: Path | None = None
        self.inode = 0
        self.in_mid_save: set[str] = set()

    def __call__(self, folder: Path) -> None:
        """Write a checkpoint into a folder, which is made if it is not there."""
        self.into = Path(folder)
        self.into.mkdir(exist_ok=True)
        self.inode = self.into.stat().st_ino
        for number, name in enumerate(self.names):
            self._look()
            if number == self.room and self.after_the_kill:
                there = self.after_the_kill.parent
                shutil.copytree(self.folder.parent, there, dirs_exist_ok=True)
                raise _Killed
            if number == self.room:
                raise OSError("No space left on device")
            (self.into / name).write_text("new")
        self._look()

    def _look(self) -> None:
        self.in_mid_save |= _checkpoints(self.folder.parent).keys() - self.before.keys()


def _checkpoints(parent: Path) -> dict[str, list[str]]:
    """Return the files of each folder `update-…`, and which of them are old."""
    return {
        checkpoint.name: [
            str(file.relative_to(checkpoint)) + (" (old)" if file.read_text() == "old" else "")
            for file in sorted(checkpoint.rglob("*"))
            if file.is_file()
        ]
        for checkpoint in sorted(parent.glob("update-*"))
    }


def _to_save(scratch: str, existing: str = "", **options: Any) -> tuple[Path, Writer]:
    parent = Path(tempfile.mkdtemp(dir=scratch))
    if existing:
        (parent / existing).mkdir()
        (parent / existing / "model.safetensors").write_text("old")
    folder = parent / "update-2"
    return folder, Writer(folder, **options)


def _killed(save: Callable, answer: Callable) -> tuple[Path, Writer]:
    """Return the arguments for a folder as the answer leaves it when a kill ends it."""
    folder, writer = save("update-1", room=1, names=("left.bin", "lost.bin"))
    writer.after_the_kill, _ = save()
    with suppress(_Killed, Exception):  # what it does from there on, a killed process does not
        answer(folder, writer)
    return writer.after_the_kill, Writer(writer.after_the_kill)


@reference
def _save_whole(folder: Path, write: Callable) -> bool:
    if folder.exists():
        return True
    hidden = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        write(hidden)
    except OSError:
        return False
    hidden.rename(folder)
    return True


def _saved(arguments: tuple, value: Any) -> dict[str, Any]:
    folder, writer = arguments
    now = _checkpoints(folder.parent)
    written = "nothing"
    if writer.into is not None:
        beside = folder.parent in writer.into.parents
        written = "beside the folder" if beside else "in another place"
    is_same = folder.name in writer.before or folder.name not in now
    renamed = is_same or folder.stat().st_ino == writer.inode
    return {
        IN_MID_SAVE: sorted(writer.in_mid_save),
        FILES: now.pop(folder.name, None),
        OTHERS: now,
        WRITTEN: written,
        MADE_BY: "a rename" if renamed else "a copy",
        RETURNED: value,
    }


def _cause_of_8_3(arguments: tuple, expected: dict[str, Any], got: dict[str, Any]) -> str:
    folder, writer = arguments
    wrong = _wrong_entry(expected, got)
    if wrong == IN_MID_SAVE and folder.name in got[wrong]:
        return (
            "A process that is killed now leaves half a checkpoint under the right name. Let "
            "`write` work under another name first."
        )
    if wrong == FILES:
        return _cause_of_files(folder.name in writer.before, writer.left, expected[FILES], got)
    if wrong in (WRITTEN, RETURNED) and folder.name in writer.before:
        return "A whole checkpoint of this name is there: nothing has to be written, so `True`."
    if wrong == RETURNED and got[RETURNED] is None:
        return NOTHING
    if wrong == RETURNED:
        return "`True` if the checkpoint is there now, and whole; `False` if it is not."
    return {
        IN_MID_SAVE: "The other name begins with `update-` as well, so whoever looks for "
        "checkpoints finds the half-written one. Begin it with a dot.",
        OTHERS: "The other checkpoints are none of this function's business: leave them alone.",
        WRITTEN: "This may be on another disk, and from disk to disk a rename is a copy. Write "
        "beside the folder: `folder.with_name(...)`.",
        MADE_BY: "A copy takes its time, and a process that is killed meanwhile leaves half of "
        "it under the right name. A rename happens at once.",
    }[wrong]


def _cause_of_files(
    existed: bool, left: bool, expected: list[str] | None, got: dict[str, Any]
) -> str:
    if existed:
        return "It was whole, and you have touched it before you had another one."
    if expected is None:
        return "`write` has failed, and half a checkpoint got the right name all the same."
    if got[FILES] is None and left:
        return "What the killed save has left is in your way. Delete it before you begin."
    if got[WRITTEN] == "nothing":
        return "`write` was never called, and it makes the checkpoint."
    if got[FILES] is None:
        return "All is written, and nothing has the right name: where is the rename?"
    if left:
        return (
            "A file of the killed save got into the new checkpoint. Begin with an empty folder. "
            "To clean up after a failure is not enough: a killed process cleans up nothing."
        )
    return "The checkpoint holds what `write` has written, and nothing else."


MISSING, TRUNCATED, FLIPPED = "a missing file", "half a file", "a flipped bit"
NO_MANIFEST, HALF_A_MANIFEST = "no manifest", "half a manifest"


def newest_whole(answer: Callable) -> None:
    """Check exercise 8.4: the newest checkpoint that is what its manifest says."""
    folders: list[tuple[str, dict[str, str] | None]] = [
        ("one checkpoint", {"update-1": ""}),
        ("three checkpoints", {"update-1": "", "update-2": "", "update-3": ""}),
        ("updates 9, 10 and 11", {"update-9": "", "update-10": "", "update-11": ""}),
        ("update-2 lacks a file", {"update-1": "", "update-2": MISSING}),
        ("update-2 has half of a file", {"update-1": "", "update-2": TRUNCATED}),
        ("in update-2 one bit is flipped", {"update-1": "", "update-2": FLIPPED}),
        ("update-2 has no manifest", {"update-1": "", "update-2": NO_MANIFEST}),
        ("update-2 has half a manifest", {"update-1": "", "update-2": HALF_A_MANIFEST}),
        (
            "of updates 8 to 10 the last two are damaged",
            {"update-8": "", "update-9": FLIPPED, "update-10": MISSING},
        ),
        ("update-2 was not renamed", {"update-1": "", ".update-2.partial": ""}),
        ("a folder with another name beside update-1", {"update-1": "", "best": ""}),
        ("all are damaged", {"update-1": FLIPPED, "update-2": NO_MANIFEST}),
        ("no checkpoint", {}),
        ("a folder that is not there yet", None),
    ]
    with tempfile.TemporaryDirectory() as scratch:
        cases: list[Case] = [(words, partial(_stored, scratch, each)) for words, each in folders]
        compare("8.4", answer, _newest_whole, cases, _cause_of_8_4, _found)


def _stored(scratch: str, checkpoints: dict[str, str] | None) -> tuple[Path]:
    """Return a folder of checkpoints, each damaged as is said."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    if checkpoints is None:
        return (folder / "not-there",)
    for name, damage in checkpoints.items():
        _write_checkpoint(folder / name, damage)
    # As after a move to another disk, the times say nothing: the second newest is the latest.
    for place, name in enumerate([*checkpoints][-2::-1]):
        os.utime(folder / name, (2e9 - place, 2e9 - place))
    return (folder,)


def _write_checkpoint(folder: Path, damage: str) -> None:
    files = {"model.safetensors": b"weights of " + folder.name.encode(), "optimizer.bin": b"means"}
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    manifest, model = folder / "manifest.json", folder / "model.safetensors"
    manifest.write_text(json.dumps({"files": digests}))
    content = files[model.name]
    if damage == MISSING:
        (folder / "optimizer.bin").unlink()
    elif damage == TRUNCATED:
        model.write_bytes(content[: len(content) // 2])
    elif damage == FLIPPED:
        model.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == NO_MANIFEST:
        manifest.unlink()
    elif damage == HALF_A_MANIFEST:
        manifest.write_text(manifest.read_text()[:50])


@reference
def _newest_whole(folder: Path) -> Path | None:
    whole = [each for each in folder.glob("update-*") if not _damage(each)]
    return max(whole, key=_number, default=None)


def _number(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("update-"))


def _damage(checkpoint: Path) -> str:
    """Return in words what is wrong with a checkpoint, or ""."""
    if not (checkpoint / "manifest.json").exists():
        return "It has no manifest, so nobody can say that it is whole."
    try:
        files = json.loads((checkpoint / "manifest.json").read_text())["files"]
    except ValueError:
        return "Its manifest cannot be read, so nobody can say that it is whole."
    for name, digest in files.items():
        if not (checkpoint / name).exists():
            return "A file that its manifest names is not there."
        if hashlib.sha256((checkpoint / name).read_bytes()).hexdigest() != digest:
            return "One of its files is not what was saved. Names do not tell: compare digests."
    return ""


def _found(arguments: tuple, value: Any) -> dict[str, Any]:
    (folder,) = arguments
    if isinstance(value, Path) and folder in value.parents:
        value = f"folder/{value.relative_to(folder)}"
    stored = sorted(folder.iterdir()) if folder.exists() else []
    return {
        CHECKPOINT: value,
        DISK: {each.name: len(list(each.iterdir())) for each in stored},
    }


def _cause_of_8_4(arguments: tuple, expected: dict[str, Any], got: dict[str, Any]) -> str:
    (folder,), chosen = arguments, got[CHECKPOINT]
    if same(chosen, expected[CHECKPOINT]):
        return "Only look. Whether a damaged one is moved or deleted is not decided here."
    whole = [each for each in folder.glob("update-*") if not _damage(each)]
    if chosen is None and max(folder.glob("update-*"), key=_number) in whole:
        return NOTHING
    if chosen is None:
        return "The newest one is damaged, and an older one is not. Go on looking."
    if not isinstance(chosen, str) or not chosen.startswith("folder/"):
        return "Wanted is the path of a checkpoint, or `None` if none is whole."
    found = folder / chosen.removeprefix("folder/")
    if found.name.startswith("."):
        return "A name with a dot: this save has not come to its end."
    if not found.name.startswith("update-"):
        return "A checkpoint's name is `update-` and a number. This is something else."
    if found not in whole:
        return _damage(found)
    if found == max(whole, key=lambda each: each.name):
        return "As text, 9 comes after 10. Compare the updates as numbers."
    if found == max(whole, key=lambda each: each.stat().st_mtime):
        return "That is the one with the latest time. Times change when a folder is moved."
    return "That is whole, and not the newest: begin with the highest number."
