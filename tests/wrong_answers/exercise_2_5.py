# %% yes
def repaired(accelerator, model, optimizer, loader, window, epochs):
    batch_size = loader.total_batch_size
    samples = len(loader.dataset)
    for _ in range(epochs):
        for step, batch in enumerate(loader):
            first = step // window * window * batch_size
            held = min(window * batch_size, samples - first)
            accelerator.backward(model(**batch).loss * len(batch["labels"]) / held)
            if (step + 1) % window == 0 or step + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()


# %% yes
from itertools import islice


def repaired(accelerator, model, optimizer, loader, window, epochs):
    for epoch in range(epochs):
        batches = iter(loader)
        while held := list(islice(batches, window)):
            samples = sum(len(batch["labels"]) for batch in held)
            optimizer.zero_grad()
            for batch in held:
                loss = model(**batch).loss
                accelerator.backward(loss * (batch["labels"].numel() / samples))
            optimizer.step()


# %% no: joins the next epoch, or is lost
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0:
                optimizer.step()
                optimizer.zero_grad()


# %% no: You throw the last window's gradient away
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        optimizer.zero_grad()
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0:
                optimizer.step()
                optimizer.zero_grad()


# %% no: it counts for too little
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()


# %% no: Your count goes on from epoch to epoch
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    count = 0
    for _ in range(epochs):
        for batch in loader:
            count += 1
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0:
                optimizer.step()
                optimizer.zero_grad()


# %% no: the short one too
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            held = min(window, len(loader) - (count - 1) // window * window)
            accelerator.backward(model(**batch).loss / held)
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()


# %% no: as if its window were full
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss * len(batch["labels"]) / (window * loader.total_batch_size))
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()


# %% no: A sum over samples
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        samples = 0
        for count, batch in enumerate(loader, start=1):
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()
                samples = 0


# %% no: by the samples of the window, not by its micro-batches
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        samples = 0
        for count, batch in enumerate(loader, start=1):
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            held = min(window, len(loader) - (count - 1) // window * window)
            if count % window == 0 or count == len(loader):
                for parameter in model.parameters():
                    parameter.grad /= held
                optimizer.step()
                optimizer.zero_grad()
                samples = 0


# %% no: Start it anew in each window
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        samples = 0
        for count, batch in enumerate(loader, start=1):
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            if count % window == 0 or count == len(loader):
                for parameter in model.parameters():
                    parameter.grad /= samples
                optimizer.step()
                optimizer.zero_grad()


# %% no: Start it anew in each window
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    samples = 0
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            if count % window == 0 or count == len(loader):
                for parameter in model.parameters():
                    parameter.grad /= samples
                optimizer.step()
                optimizer.zero_grad()


# %% no: The loss is not divided
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss)
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()


# %% no: There is an update with nothing in it
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0:
                optimizer.step()
                optimizer.zero_grad()
        optimizer.step()
        optimizer.zero_grad()


# %% no: Only the last micro-batch of the window
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        samples = 0
        for count, batch in enumerate(loader, start=1):
            optimizer.zero_grad()
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            if count % window == 0 or count == len(loader):
                for parameter in model.parameters():
                    parameter.grad /= samples
                optimizer.step()
                samples = 0


# %% no: where is `zero_grad`
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0 or count == len(loader):
                optimizer.step()


# %% no: `step`, `zero_grad`, and what you count
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        samples = 0
        for count, batch in enumerate(loader, start=1):
            size = len(batch["labels"])
            accelerator.backward(model(**batch).loss * size)
            samples += size
            if count % window == 0 or count == len(loader):
                for parameter in model.parameters():
                    parameter.grad /= samples
                optimizer.step()
                samples = 0


# %% no: joins the next epoch, or is lost
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss / window)
            if count % window == 0:
                optimizer.step()
                optimizer.zero_grad()
    if len(loader) % window:
        optimizer.step()
        optimizer.zero_grad()


# %% no: ZeroDivisionError
def repaired(accelerator, model, optimizer, loader, window, epochs):
    model.train()
    for _ in range(epochs):
        for count, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss * (1 / (len(loader) % window)))
            if count % window == 0 or count == len(loader):
                optimizer.step()
                optimizer.zero_grad()
