# %% yes
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    share = -(-batches // processes)
    updates = -(-share // window) * epochs
    plan = {"updates": updates, "length": updates * processes}
    plan["warmup"] = processes * warmup_updates
    plan["effective_batch"] = processes * per_device * window
    return plan


# %% yes
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = torch.ceil(torch.tensor(batches / (processes * window))) * epochs
    return dict(
        effective_batch=torch.tensor(per_device) * window * processes,
        updates=updates,
        length=updates * processes,
        warmup=float(warmup_updates * processes),
    )


# %% no: share of one process
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


# %% no: the tail of an epoch is an update too
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * (math.ceil(batches / processes) // window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


# %% no: round up in each epoch
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = math.ceil(epochs * math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


# %% no: each process goes through its share
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(batches / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


# %% no: each process gets the larger share
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(batches // processes / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * processes,
    }


# %% no: steps once for each at an update
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates,
        "warmup": warmup_updates,
    }


# %% no: That counts micro-batches
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": batches * epochs,
        "warmup": warmup_updates * processes,
    }


# %% no: only where all divides evenly
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    return {
        "effective_batch": per_device * window * processes,
        "updates": epochs * math.ceil(math.ceil(batches / processes) / window),
        "length": epochs * math.ceil(batches / window),
        "warmup": warmup_updates * processes,
    }


# %% no: It has the unit of the length
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates,
    }


# %% no: That counts micro-batches
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return {
        "effective_batch": per_device * window * processes,
        "updates": updates,
        "length": updates * processes,
        "warmup": warmup_updates * window,
    }


# %% no: Wanted is a dictionary
def run_plan(batches, per_device, window, processes, epochs, warmup_updates):
    updates = epochs * math.ceil(math.ceil(batches / processes) / window)
    return updates * processes, warmup_updates * processes
