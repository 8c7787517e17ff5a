# %% yes
import math


def updates_per_epoch(micro_batches, window):
    return math.ceil(micro_batches / window)


# %% yes
def updates_per_epoch(micro_batches, window):
    updates = 0
    for count in range(1, micro_batches + 1):
        if count % window == 0 or count == micro_batches:
            updates += 1
    return updates


# %% yes
def updates_per_epoch(micro_batches, window):
    full, tail = divmod(micro_batches, window)
    return full + (tail > 0)


# %% no: You count full windows only
def updates_per_epoch(micro_batches, window):
    return micro_batches // window


# %% no: `round` goes to the nearest whole number
def updates_per_epoch(micro_batches, window):
    return round(micro_batches / window)


# %% no: There is no part of an update
def updates_per_epoch(micro_batches, window):
    return micro_batches / window


# %% no: One too many where the window divides the micro-batches
def updates_per_epoch(micro_batches, window):
    return micro_batches // window + 1


# %% no: Without a micro-batch there is nothing to update with
def updates_per_epoch(micro_batches, window):
    return max(1, -(-micro_batches // window))


# %% no: That is the number of micro-batches
def updates_per_epoch(micro_batches, window):
    return len(range(micro_batches))


# %% no: That is the length of the tail
def updates_per_epoch(micro_batches, window):
    return micro_batches % window


# %% no: Do you add 1, or count from 0?
def updates_per_epoch(micro_batches, window):
    updates = 0
    for step in range(micro_batches):
        if step % window == 0 or step == micro_batches - 1:
            updates += 1
    return updates


# %% no: got None.
def updates_per_epoch(micro_batches, window):
    print((micro_batches + window - 1) // window)


# %% no: expected 1, got '1'
def updates_per_epoch(micro_batches, window):
    return str((micro_batches + window - 1) // window)
