# %% yes
def repaired(accelerator, model, optimizer, loader):
    loader, optimizer, model = accelerator.prepare(loader, optimizer, model)
    model.train()
    losses = []
    for batch in loader:
        optimizer.zero_grad()
        outputs = model(**batch)
        accelerator.backward(outputs.loss)
        optimizer.step()
        losses.append(outputs.loss.detach())
    return torch.stack(losses)


# %% yes
def repaired(accelerator, model, optimizer, loader):
    model = accelerator.prepare(model)
    optimizer = accelerator.prepare(optimizer)
    loader = accelerator.prepare(loader)

    def step(batch):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return [step(batch) for batch in loader]


# %% no: The backward pass is not Accelerate's
def repaired(accelerator, model, optimizer, loader):
    model, loader = accelerator.prepare(model, loader)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: The backward pass is not Accelerate's
def repaired(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Give it to `prepare` too
def repaired(accelerator, model, optimizer, loader):
    model, loader = accelerator.prepare(model, loader)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Keep that
def repaired(accelerator, model, optimizer, loader):
    model, optimizer = accelerator.prepare(model, optimizer)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: look at `step` and `zero_grad`
def repaired(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% no: One call of `accelerator.backward` a batch
def repaired(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        break
    return losses


# %% no: returns nothing
def repaired(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())


# %% no: Return the loss of each batch, in a list
def repaired(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = 0
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    return total / len(loader)
