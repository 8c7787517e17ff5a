# %% yes
def rest_of_run(loader, place, epochs, work):
    while place.epoch < epochs:
        loader.set_epoch(place.epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch += 1
        place.batch = 0


# %% yes
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for number, batch in enumerate(loader):
            if number < place.batch:
                continue
            work(batch)
            place.batch = number + 1
        place.epoch, place.batch = epoch + 1, 0


# %% yes
def rest_of_run(loader, place, epochs, work):
    start, done = place.epoch, place.batch
    for place.epoch in range(start, epochs):
        rest = skip_first_batches(loader, done) if place.epoch == start else loader
        rest.set_epoch(place.epoch)
        for place.batch, batch in enumerate(rest, start=done):
            work(batch)
        done = 0
    place.epoch, place.batch = epochs, 0


# %% no: Every epoch loses its beginning
def rest_of_run(loader, place, epochs, work):
    done = place.batch
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, done):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: begins again from its first batch
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in loader:
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: used in that epoch, whichever it is
def rest_of_run(loader, place, epochs, work):
    done = place.batch
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, done if epoch == 0 else 0):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: the place is the next one's beginning
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch = epoch + 1


# %% no: takes its first epoch for epoch 0
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: `set_epoch` comes too late
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        loader.set_epoch(epoch)
        place.epoch, place.batch = epoch + 1, 0


# %% no: `set_epoch` stands in front of the loop
def rest_of_run(loader, place, epochs, work):
    loader.set_epoch(place.epoch)
    for epoch in range(place.epoch, epochs):
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: keeps the one that it found
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        rest = skip_first_batches(loader, place.batch)
        loader.set_epoch(epoch)
        for batch in rest:
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: begin with `place.epoch`
def rest_of_run(loader, place, epochs, work):
    done = place.batch
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, done):
            work(batch)
            place.batch += 1
        place.epoch, place.batch, done = epoch + 1, 0, 0


# %% no: `epochs` is the number of epochs of the whole run
def rest_of_run(loader, place, epochs, work):
    for _ in range(epochs):
        loader.set_epoch(place.epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = place.epoch + 1, 0


# %% no: count from 0
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch + 1)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: One batch is skipped that was not done
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        skipped = place.batch + 1 if place.batch else 0
        for batch in skip_first_batches(loader, skipped):
            work(batch)
            place.batch += 1
        place.epoch, place.batch = epoch + 1, 0


# %% no: You count from 0 after the resume
def rest_of_run(loader, place, epochs, work):
    done = place.batch
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for number, batch in enumerate(skip_first_batches(loader, done)):
            place.batch = number
            work(batch)
        place.epoch, place.batch, done = epoch + 1, 0, 0


# %% no: Count it after the call
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            place.batch += 1
            work(batch)
        place.epoch, place.batch = epoch + 1, 0


# %% no: has to grow by one with each batch
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
        place.epoch, place.batch = epoch + 1, 0


# %% no: the place is the next one's beginning
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.batch = 0


# %% no: the place is the next one's beginning
def rest_of_run(loader, place, epochs, work):
    done = place.batch
    for place.epoch in range(place.epoch, epochs):
        loader.set_epoch(place.epoch)
        place.batch = done
        for batch in skip_first_batches(loader, done):
            work(batch)
            place.batch += 1
        done = 0


# %% no: `work` was never called
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        return list(skip_first_batches(loader, place.batch))


# %% no: `place.batch` is not 0 again
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.epoch = epoch + 1
    place.batch = 0


# %% no: the number of the epoch that is under way
def rest_of_run(loader, place, epochs, work):
    for epoch in range(place.epoch, epochs):
        loader.set_epoch(epoch)
        for batch in skip_first_batches(loader, place.batch):
            work(batch)
            place.batch += 1
        place.batch = 0
    place.epoch = epochs


# %% no: The order is made when an epoch begins
def rest_of_run(loader, place, epochs, work):
    start, done = place.epoch, place.batch
    for epoch in range(start, epochs):
        rest = skip_first_batches(loader, done) if epoch == start else loader
        loader.set_epoch(epoch)
        for place.batch, batch in enumerate(rest, start=done):
            place.epoch = epoch
            work(batch)
        done = 0
    place.epoch, place.batch = epochs, 0


# %% no: tell it with `set_epoch`
def rest_of_run(loader, place, epochs, work):
    start, done = place.epoch, place.batch
    for epoch in range(start, epochs):
        rest = skip_first_batches(loader, done) if epoch == start else loader
        for place.batch, batch in enumerate(rest, start=done):
            place.epoch = epoch
            work(batch)
        done = 0
    place.epoch, place.batch = epochs, 0
