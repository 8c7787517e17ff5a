# %% yes
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    updates = -(-reviews // (batch_size * processes * window)) * epochs
    return updates, updates * processes


# %% yes
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    updates = steps = 0
    for _ in range(epochs):
        left = reviews
        while left > 0:
            for _ in range(window):
                left -= batch_size * processes
            updates += 1
            for _ in range(processes):
                steps += 1
    return [updates, steps]


# %% no: steps once for each process, at every update
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    updates = math.ceil(share / window) * epochs
    return updates, updates


# %% no: between two updates, the prepared scheduler does not step
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    return math.ceil(share / window) * epochs, share * processes * epochs


# %% no: does not step
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    return math.ceil(share / window) * epochs, share * epochs


# %% no: the updates of one process alone
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    updates = math.ceil(math.ceil(reviews / batch_size) / window) * epochs
    return updates, updates * processes


# %% no: the tail of an epoch is an update too
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    updates = share // window * epochs
    return updates, updates * processes


# %% no: Windows do not span epochs
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    updates = math.ceil(share * epochs / window)
    return updates, updates * processes


# %% no: as many as the one with the most
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(reviews / batch_size) // processes
    updates = math.ceil(share / window) * epochs
    return updates, updates * processes


# %% no: These are micro-batches of one process
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    updates = math.ceil(math.ceil(reviews / batch_size) / processes) * epochs
    return updates, updates * processes


# %% no: count it once
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    updates = math.ceil(share / window) * epochs * processes
    return updates, updates


# %% no: is short, and a batch
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(reviews // batch_size / processes)
    updates = math.ceil(share / window) * epochs
    return updates, updates * processes


# %% no: take them times the processes
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    batches = math.ceil(reviews / batch_size)
    share = math.ceil(batches / processes)
    return math.ceil(share / window) * epochs, math.ceil(batches / window) * epochs


# %% no: the wrong order
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    share = math.ceil(math.ceil(reviews / batch_size) / processes)
    updates = math.ceil(share / window) * epochs
    return updates * processes, updates


# %% no: Wanted are two numbers
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    return math.ceil(reviews / (batch_size * processes * window)) * epochs


# %% no: returns nothing
def updates_and_scheduler_steps(reviews, batch_size, processes, window, epochs):
    print(math.ceil(reviews / (batch_size * processes * window)) * epochs)
