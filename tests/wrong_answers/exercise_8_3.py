# %% yes
def save_whole(folder, write):
    if not folder.exists():
        hidden = folder.parent / ".being-written"
        if hidden.exists():
            shutil.rmtree(hidden)
        hidden.mkdir()
        try:
            write(hidden)
            os.replace(hidden, folder)
        except OSError:
            shutil.rmtree(hidden)
    return folder.exists()


# %% yes
def save_whole(folder, write):
    if folder.is_dir():
        return True
    with tempfile.TemporaryDirectory(dir=folder.parent) as hidden:
        try:
            write(Path(hidden) / "checkpoint")
        except OSError:
            return False
        shutil.move(Path(hidden) / "checkpoint", folder)
    return True


# %% no: leaves half a checkpoint under the right name
def save_whole(folder, write):
    if folder.exists():
        return True
    try:
        write(folder)
    except OSError:
        shutil.rmtree(folder)
        return False
    return True


# %% no: Begin it with a dot
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
    except OSError:
        return False
    partial.rename(folder)
    return True


# %% no: A copy takes its time
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
    except OSError:
        return False
    shutil.copytree(partial, folder)
    shutil.rmtree(partial)
    return True


# %% no: This may be on another disk
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = Path(tempfile.mkdtemp())
    try:
        write(partial)
    except OSError:
        return False
    shutil.move(partial, folder)
    return True


# %% no: A file of the killed save got into the new checkpoint
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        write(partial)
    except OSError:
        shutil.rmtree(partial)
        return False
    partial.rename(folder)
    return True


# %% no: a killed process cleans up nothing
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        write(partial)
        partial.rename(folder)
    except OSError:
        return False
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return True


# %% no: Delete it before you begin
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        partial.mkdir()
        write(partial)
    except OSError:
        shutil.rmtree(partial)
        return False
    partial.rename(folder)
    return True


# %% no: FileExistsError
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    partial.mkdir()
    try:
        write(partial)
    except OSError:
        shutil.rmtree(partial)
        return False
    partial.rename(folder)
    return True


# %% no: got the right name all the same
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
        return True
    except OSError:
        return False
    finally:
        partial.rename(folder)


# %% no: where is the rename
def save_whole(folder, write):
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    write(partial)
    return True


# %% no: OSError: No space left on device at line 6 of your cell
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    write(partial)
    partial.rename(folder)
    return True


# %% no: nothing has to be written
def save_whole(folder, write):
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
        partial.rename(folder)
    except OSError:
        return False
    return True


# %% no: you have touched it before you had another one
def save_whole(folder, write):
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        write(partial)
    except OSError:
        return False
    partial.rename(folder)
    return True


# %% no: none of this function's business
def save_whole(folder, write):
    if folder.exists():
        return True
    for old in folder.parent.iterdir():
        shutil.rmtree(old)
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        write(partial)
    except OSError:
        return False
    partial.rename(folder)
    return True


# %% no: `False` if it is not
def save_whole(folder, write):
    if folder.exists():
        return True
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
        partial.rename(folder)
    except OSError as error:
        print(error)
    return True


# %% no: returns nothing
def save_whole(folder, write):
    if folder.exists():
        return
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        write(partial)
        partial.rename(folder)
    except OSError as error:
        print(error)


# %% no: `write` was never called
def save_whole(folder, write):
    partial = folder.with_name(f".{folder.name}.partial")
    partial.mkdir(exist_ok=True)
    partial.rename(folder)
    return True
