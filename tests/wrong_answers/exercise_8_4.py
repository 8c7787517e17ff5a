# %% yes
def newest_whole(folder):
    numbers = sorted((int(path.name.split("-")[1]) for path in folder.glob("update-*")))
    while numbers:
        checkpoint = folder / f"update-{numbers.pop()}"
        try:
            files = json.loads((checkpoint / "manifest.json").read_text())["files"]
            if all(digest(checkpoint / name) == files[name] for name in files):
                return checkpoint
        except (OSError, ValueError):
            pass


# %% yes
def newest_whole(folder):
    def is_whole(checkpoint):
        try:
            verify(checkpoint)
        except ValueError:
            return False
        return True

    whole = filter(is_whole, folder.glob("update-*"))
    return max(whole, key=lambda path: int(path.name[7:]), default=None)


# %% no: Compare the updates as numbers
def newest_whole(folder):
    for checkpoint in sorted(folder.glob("update-*"), reverse=True):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: Times change when a folder is moved
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for checkpoint in stored:
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: begin with the highest number
def newest_whole(folder):
    for checkpoint in sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:])):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: A file that its manifest names is not there
def newest_whole(folder):
    return max(folder.glob("update-*"), key=lambda path: int(path.name[7:]), default=None)


# %% no: Names do not tell
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        files = json.loads((checkpoint / "manifest.json").read_text())["files"]
        if all((checkpoint / name).exists() for name in files):
            return checkpoint


# %% no: It has no manifest
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        manifest, files = checkpoint / "manifest.json", {}
        if manifest.exists():
            files = json.loads(manifest.read_text())["files"]
        paths = {checkpoint / name: files[name] for name in files}
        if all(path.exists() and digest(path) == paths[path] for path in paths):
            return checkpoint


# %% no: Its manifest cannot be read
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        try:
            files = json.loads((checkpoint / "manifest.json").read_text())["files"]
        except FileNotFoundError:
            continue
        except ValueError:
            files = {}
        paths = {checkpoint / name: files[name] for name in files}
        if all(path.exists() and digest(path) == paths[path] for path in paths):
            return checkpoint


# %% no: ValueError: update-2/optimizer.bin is missing at line 5 of your cell
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    if stored:
        newest = stored[-1]
        verify(newest)
        return newest


# %% no: Go on looking
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    try:
        verify(stored[-1])
        return stored[-1]
    except (ValueError, IndexError):
        return None


# %% no: this save has not come to its end
def newest_whole(folder):
    def number(path):
        return int("".join(filter(str.isdigit, path.name)) or 0)

    for checkpoint in sorted(folder.iterdir(), key=number, reverse=True):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: This is something else
def newest_whole(folder):
    def number(path):
        return int("".join(filter(str.isdigit, path.name)) or 99)

    for checkpoint in sorted(folder.glob("[!.]*"), key=number, reverse=True):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: is not decided here
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        try:
            verify(checkpoint)
        except ValueError:
            shutil.rmtree(checkpoint)
            continue
        return checkpoint


# %% no: Wanted is the path
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint.name


# %% no: returns nothing
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    for checkpoint in reversed(stored):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        print(checkpoint.name)


# %% no: FileNotFoundError
def newest_whole(folder):
    stored = [path for path in folder.iterdir() if path.name.startswith("update-")]
    for checkpoint in sorted(stored, key=lambda path: int(path.name[7:]), reverse=True):
        try:
            verify(checkpoint)
        except ValueError:
            continue
        return checkpoint


# %% no: IndexError
def newest_whole(folder):
    stored = sorted(folder.glob("update-*"), key=lambda path: int(path.name[7:]))
    while True:
        newest = stored.pop(0 if not stored else -1)
        try:
            verify(newest)
            return newest
        except ValueError:
            continue
