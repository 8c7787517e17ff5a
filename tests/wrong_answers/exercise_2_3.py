# %% yes
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms, tail = [], len(loader) % window
    for step, batch in enumerate(loader):
        share = tail if tail and step >= len(loader) - tail else window
        accelerator.backward(model(**batch).loss * (1 / share))
        if (step + 1) % window and step + 1 < len(loader):
            continue
        norm = accelerator.clip_grad_norm_(list(model.parameters()), max_norm=max_norm)
        optimizer.step()
        optimizer.zero_grad()
        norms.append(float(norm))
    return norms


# %% yes
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    batches = list(loader)
    for start in range(0, len(batches), window):
        optimizer.zero_grad()
        held = batches[start : start + window]
        for batch in held:
            accelerator.backward(model(**batch).loss / len(held))
        accelerator.unscale_gradients(optimizer)
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm))
        optimizer.step()
    return torch.tensor(norms)


# %% no: You clip at each micro-batch
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: You clip at each micro-batch
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        norm = accelerator.clip_grad_norm_(model.parameters(), max_norm)
        if count % window == 0 or count == len(loader):
            norms.append(norm.item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: `step` got a gradient that was not clipped
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.zero_grad()
    return norms


# %% no: `step` got a gradient that was not clipped
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), float("inf")).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: Under a loss scale
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: These norms are from after clipping
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            accelerator.clip_grad_norm_(model.parameters(), max_norm)
            squares = [p.grad.square().sum() for p in model.parameters()]
            norms.append(sum(squares).sqrt().item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: squares of the norms
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            squares = [p.grad.square().sum() for p in model.parameters()]
            norms.append(sum(squares).item())
            accelerator.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: You clip to 1
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), 1.0).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: The loss is not divided
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: it counts for too little
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: The last window makes no update
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0:
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: Only the last micro-batch of the window is in the update
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
        optimizer.zero_grad()
    return norms


# %% no: You limit each number by itself
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(sum(p.grad.square().sum() for p in model.parameters()) ** 0.5)
            accelerator.clip_grad_value_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: Only `accelerator.clip_grad_norm_` knows it
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norm = sum(p.grad.square().sum() for p in model.parameters()).sqrt()
            norms.append(norm.item())
            if norm > max_norm:
                for parameter in model.parameters():
                    parameter.grad *= max_norm / norm
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: returns nothing
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).item())
            optimizer.step()
            optimizer.zero_grad()
    print(norms)


# %% no: Wanted is a list with one norm an update
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norm = 0
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norm = accelerator.clip_grad_norm_(model.parameters(), max_norm).item()
            optimizer.step()
            optimizer.zero_grad()
    return norm


# %% no: got AttributeError: 'function' object has no attribute 'item'
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    norms = []
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0 or count == len(loader):
            norms.append(accelerator.clip_grad_norm_(model.parameters(), max_norm).norm.item())
            optimizer.step()
            optimizer.zero_grad()
    return norms


# %% no: there is a `yield` where a `return` should stand
def clipped_norms(accelerator, model, optimizer, loader, window, max_norm):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            yield accelerator.clip_grad_norm_(model.parameters(), max_norm).item()
            optimizer.step()
            optimizer.zero_grad()
