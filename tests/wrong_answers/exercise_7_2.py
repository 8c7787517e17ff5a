# %% yes
def samples_of(rank, processes, length, batch_size):
    numbers = list(range(length))
    while numbers and processes > 1 and len(numbers) % (batch_size * processes):
        numbers.append(numbers[len(numbers) - length])
    batches = [numbers[at : at + batch_size] for at in range(0, len(numbers), batch_size)]
    return batches[rank::processes]


# %% yes
def samples_of(rank, processes, length, batch_size):
    from itertools import chain, cycle, islice

    if processes == 1:
        return [tuple(range(length))[n : n + batch_size] for n in range(0, length, batch_size)]
    rounds = math.ceil(length / (batch_size * processes))
    stream = chain(range(length), cycle(range(length)))
    batches = [list(islice(stream, batch_size)) for _ in range(rounds * processes)]
    return [batch for number, batch in enumerate(batches) if number % processes == rank]


# %% no: Some rank comes off badly here
def samples_of(rank, processes, length, batch_size):
    batches = [list(range(length))[n : n + batch_size] for n in range(0, length, batch_size)]
    return batches[rank::processes]


# %% no: one piece for each rank
def samples_of(rank, processes, length, batch_size):
    share = math.ceil(length / processes)
    own = list(range(length))[rank * share : (rank + 1) * share]
    return [own[at : at + batch_size] for at in range(0, len(own), batch_size)]


# %% no: You deal out samples in turn
def samples_of(rank, processes, length, batch_size):
    own = list(range(length))[rank::processes]
    return [own[at : at + batch_size] for at in range(0, len(own), batch_size)]


# %% no: You drop what does not fill a round
def samples_of(rank, processes, length, batch_size):
    batches = [list(range(length))[n : n + batch_size] for n in range(0, length, batch_size)]
    return batches[rank::processes][: length // (batch_size * processes)]


# %% no: You repeat the last sample
def samples_of(rank, processes, length, batch_size):
    numbers = list(range(length))
    while len(numbers) % (batch_size * processes):
        numbers.append(numbers[-1])
    batches = [numbers[at : at + batch_size] for at in range(0, len(numbers), batch_size)]
    return batches[rank::processes]


# %% no: from its own samples
def samples_of(rank, processes, length, batch_size):
    batches = [list(range(length))[n : n + batch_size] for n in range(0, length, batch_size)]
    own = batches[rank::processes]
    rounds = math.ceil(length / (batch_size * processes))
    if processes > 1:
        if len(own) < rounds:
            own.append([])
        while own and len(own[-1]) < batch_size:
            own[-1].append(own[0][len(own[-1]) - 1])
    return own


# %% no: begins with sample 0 again
def samples_of(rank, processes, length, batch_size):
    batches = [list(range(length))[n : n + batch_size] for n in range(0, length, batch_size)]
    while len(batches) % processes:
        batches.append([])
    own = batches[rank::processes]
    fill = 0
    while own and processes > 1 and len(own[-1]) < batch_size:
        own[-1].append(fill % length)
        fill += 1
    return own


# %% no: One process shares with nobody
def samples_of(rank, processes, length, batch_size):
    size = batch_size * processes
    return [
        [(start + n) % length for n in range(batch_size)]
        for start in range(rank * batch_size, math.ceil(length / size) * size, size)
    ]


# %% no: ranks are counted from 0
def samples_of(rank, processes, length, batch_size):
    size = batch_size * processes
    first = (rank - 1) % processes * batch_size
    return [
        [(start + n) % length for n in range(batch_size)]
        for start in range(first, math.ceil(length / size) * size, size)
    ]


# %% no: Wanted is a list of batches
def samples_of(rank, processes, length, batch_size):
    size = batch_size * processes
    return [
        (start + n) % length
        for start in range(rank * batch_size, math.ceil(length / size) * size, size)
        for n in range(batch_size)
    ]


# %% no: Samples are counted from 0
def samples_of(rank, processes, length, batch_size):
    size = batch_size * processes
    return [
        [(start + n) % length + 1 for n in range(batch_size)]
        for start in range(rank * batch_size, math.ceil(length / size) * size, size)
    ]


# %% no: a `yield` where a `return` should stand
def samples_of(rank, processes, length, batch_size):
    for start in range(rank * batch_size, length, batch_size * processes):
        yield [number % length for number in range(start, start + batch_size)]


# %% no: IndexError: list index out of range at line 6 of your cell
def samples_of(rank, processes, length, batch_size):
    numbers = list(range(length)) + list(range(batch_size))
    size = batch_size * processes
    found = []
    for start in range(rank * batch_size, math.ceil(length / size) * size, size):
        found.append([numbers[start + n] for n in range(batch_size)])
    return found
