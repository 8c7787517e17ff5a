# %% yes
def predicted_updates(micro_batches, window, epochs):
    pattern, count = [], 0
    for _ in range(epochs):
        epoch = ""
        for _ in range(micro_batches):
            count += 1
            if count == window:
                epoch, count = epoch + "1", 0
            else:
                epoch += "0"
        pattern.append(epoch)
    return pattern


# %% yes
def predicted_updates(micro_batches, window, epochs):
    one = "0" * (window - 1) + "1"
    whole = one * (epochs * micro_batches // window + 1)
    return tuple(whole[n * micro_batches : (n + 1) * micro_batches] for n in range(epochs))


# %% no: That is the default
def predicted_updates(micro_batches, window, epochs):
    epoch = ""
    for count in range(1, micro_batches + 1):
        epoch += "1" if count % window == 0 or count == micro_batches else "0"
    return [epoch] * epochs


# %% no: The count starts anew in each epoch
def predicted_updates(micro_batches, window, epochs):
    epoch = ""
    for count in range(1, micro_batches + 1):
        epoch += "1" if count % window == 0 else "0"
    return [epoch] * epochs


# %% no: the next one goes on counting
def predicted_updates(micro_batches, window, epochs):
    pattern, total = [], 0
    for _ in range(epochs):
        epoch = ""
        for count in range(1, micro_batches + 1):
            total += 1
            epoch += "1" if total % window == 0 or count == micro_batches else "0"
        pattern.append(epoch)
    return pattern


# %% no: An update needs the last one
def predicted_updates(micro_batches, window, epochs):
    pattern = []
    for epoch in range(epochs):
        steps = range(epoch * micro_batches, (epoch + 1) * micro_batches)
        pattern.append("".join("1" if step % window == 0 else "0" for step in steps))
    return pattern


# %% no: Cut it into epochs
def predicted_updates(micro_batches, window, epochs):
    steps = range(1, epochs * micro_batches + 1)
    return "".join("1" if step % window == 0 else "0" for step in steps)


# %% no: one string an epoch, of `0` and `1`
def predicted_updates(micro_batches, window, epochs):
    steps = range(1, micro_batches + 1)
    return [
        [(step + epoch * micro_batches) % window == 0 for step in steps] for epoch in range(epochs)
    ]


# %% no: `1` stands for an update
def predicted_updates(micro_batches, window, epochs):
    pattern = []
    for epoch in range(epochs):
        steps = range(epoch * micro_batches + 1, (epoch + 1) * micro_batches + 1)
        pattern.append("".join("1" if step % window else "0" for step in steps))
    return pattern


# %% no: one character a micro-batch
def predicted_updates(micro_batches, window, epochs):
    pattern, step = [], 0
    for _ in range(epochs):
        epoch = ""
        while len(epoch) < micro_batches - 1:
            step += 1
            epoch += "01"[step % window == 0]
        pattern.append(epoch)
    return pattern


# %% no: was still running after 10 seconds and was stopped
def predicted_updates(micro_batches, window, epochs):
    pattern, step = [], 0
    while len(pattern) < epochs:
        epoch = ""
        while len(epoch) < micro_batches:
            epoch += "01"[step % window == 0]
    return pattern
