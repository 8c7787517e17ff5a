# %% yes
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for epoch in range(1, epochs + 1):
        model.train()
        losses, sizes = [], []
        for step, batch in enumerate(loader, start=1):
            optimizer.zero_grad()
            outputs = model(**batch)
            accelerator.backward(outputs.loss)
            optimizer.step()
            losses.append(outputs.loss.detach())
            sizes.append(batch["labels"].shape[0])
        losses, sizes = torch.stack(losses), torch.tensor(sizes)
        means.append(((losses * sizes).sum() / sizes.sum()).item())
    return means


# %% yes
def mean_losses(accelerator, model, optimizer, loader, epochs):
    loader, model, optimizer = accelerator.prepare(loader, model, optimizer)
    samples = len(loader.dataset)
    means = torch.zeros(epochs)
    for epoch in range(epochs):
        for batch in loader:
            loss = model(inputs=batch["inputs"], labels=batch["labels"]).loss
            model.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            means[epoch] += loss.detach() * len(batch["labels"]) / samples
    return means


# %% no: mean of the batches' means
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        total = 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        means.append(total / len(loader))
    return means


# %% no: start it anew in each
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means, total = [], 0
    for _ in range(epochs):
        samples = 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item() * len(batch["labels"])
            samples += len(batch["labels"])
        means.append(total / samples)
    return means


# %% no: mean since the first epoch
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means, total, samples = [], 0, 0
    for _ in range(epochs):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item() * len(batch["labels"])
            samples += len(batch["labels"])
        means.append(total / samples)
    return means


# %% no: where is `zero_grad`
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        total, samples = 0, 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            total += loss.item() * len(batch["labels"])
            samples += len(batch["labels"])
        means.append(total / samples)
    return means


# %% no: where is `optimizer.step()`
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        total, samples = 0, 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.zero_grad()
            total += loss.item() * len(batch["labels"])
            samples += len(batch["labels"])
        means.append(total / samples)
    return means


# %% no: each epoch's last batch
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        means.append(loss.item())
    return means


# %% no: Divide by the number of samples too
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        total = 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item() * len(batch["labels"])
        means.append(total / len(loader))
    return means


# %% no: one number an epoch, here 3
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    for _ in range(epochs):
        total, samples = 0, 0
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item() * len(batch["labels"])
            samples += len(batch["labels"])
        means.append(total / samples)
        return means


# %% no: IndexError: list index out of range at line 5 of your cell
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = [0]
    for epoch in range(epochs):
        total[epoch + 1] += 1
    return total


# %% no: was still running after 10 seconds and was stopped
def mean_losses(accelerator, model, optimizer, loader, epochs):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    means = []
    while len(means) < epochs:
        for batch in loader:
            model(**batch)
    return means
