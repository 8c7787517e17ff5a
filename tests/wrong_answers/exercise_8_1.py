# %% yes
def position(updates, batches, window):
    epoch = done = 0
    for _ in range(updates):
        done = min(done + window, batches)
        if done == batches:
            epoch, done = epoch + 1, 0
    return epoch, done


# %% yes
def position(updates, batches, window):
    in_an_epoch = (batches + window - 1) // window
    return [updates // in_an_epoch, updates % in_an_epoch * window]


# %% yes
def position(updates, batches, window):
    ends = [n for n in range(1, batches + 1) if n % window == 0 or n == batches]
    epoch, since = divmod(updates, len(ends))
    return epoch, ends[since - 1] if since else 0


# %% no: the short window at the end of an epoch makes an update too
def position(updates, batches, window):
    epoch, since = divmod(updates, batches // window)
    return epoch, since * window


# %% no: It ends there, however short it is
def position(updates, batches, window):
    return divmod(updates * window, batches)


# %% no: The run stands at the beginning of the next one
def position(updates, batches, window):
    epoch = done = 0
    for _ in range(updates):
        if done == batches:
            epoch, done = epoch + 1, 0
        done = min(done + window, batches)
    return epoch, done


# %% no: Epochs are counted from 0
def position(updates, batches, window):
    epoch, since = divmod(updates, math.ceil(batches / window))
    return epoch + 1, since * window


# %% no: That counts updates
def position(updates, batches, window):
    return divmod(updates, math.ceil(batches / window))


# %% no: Each of them took `window` micro-batches
def position(updates, batches, window):
    return divmod(updates, batches)


# %% no: the wrong order
def position(updates, batches, window):
    epoch, since = divmod(updates, math.ceil(batches / window))
    return since * window, epoch


# %% no: It belongs to the epoch
def position(updates, batches, window):
    epoch = updates // math.ceil(batches / window)
    return epoch, updates * window


# %% no: How many are done?
def position(updates, batches, window):
    epoch, since = divmod(updates, math.ceil(batches / window))
    return epoch, max(0, since * window - 1)


# %% no: returns nothing
def position(updates, batches, window):
    print(divmod(updates, math.ceil(batches / window)))


# %% no: two numbers
def position(updates, batches, window):
    return updates * window
