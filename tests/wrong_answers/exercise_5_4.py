# %% yes
def repaired(model, optimizer, loader, accelerator):
    total = torch.zeros(())
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        outputs = model(**batch)
        accelerator.backward(outputs.loss)
        optimizer.step()
        total += outputs.loss.detach() * len(batch["labels"])
    model.eval()
    logits = []
    for batch in loader:
        logits += model(**batch).logits.tolist()
    return {"loss": total / len(loader.dataset), "logits": torch.tensor(logits)}


# %% yes
def repaired(model, optimizer, loader, accelerator):
    losses, sizes, logits = [], [], []
    model.train()
    for step, batch in enumerate(loader):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
        sizes.append(len(batch["labels"]))
        del loss
    model.eval()
    for batch in loader:
        with torch.no_grad():
            logits.append(model(**batch).logits)
    total = sum(loss * size for loss, size in zip(losses, sizes, strict=True))
    return {"loss": total / sum(sizes), "logits": torch.cat(logits)}


# %% yes
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.data * len(batch["labels"])
    model.eval()
    logits = [model(**batch).logits.detach() for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: each `+=` ties one more graph to it
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: frees only what nobody holds
import gc


def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss * len(batch["labels"])
        del loss
    gc.collect()
    torch.cuda.empty_cache()
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: it comes too late
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total.item() / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: The second loop makes graphs too
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch["labels"])
    model.eval()
    logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: switch gradients off around the forward passes
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch["labels"])
    model.eval()
    logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits).detach()}


# %% no: the sum was replaced
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total = loss.item() * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: weights each loss by the samples
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader), "logits": torch.cat(logits)}


# %% no: One tensor is wanted
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": logits}


# %% no: the logits of the last batch alone
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": logits[-1]}


# %% no: The training is to stay as it was
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        total += loss.item() * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: an attribute, a global, a list of your own
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        model.last = loss
        total += loss.item() * len(batch["labels"])
    model.eval()
    with torch.no_grad():
        logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}


# %% no: RuntimeError: element 0 of tensors does not require grad
def repaired(model, optimizer, loader, accelerator):
    total = 0.0
    model.train()
    for batch in loader:
        with torch.no_grad():
            loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch["labels"])
    model.eval()
    logits = [model(**batch).logits for batch in loader]
    return {"loss": total / len(loader.dataset), "logits": torch.cat(logits)}
