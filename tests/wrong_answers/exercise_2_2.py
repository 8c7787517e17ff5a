# %% yes
def train_in_windows(accelerator, model, optimizer, loader, window):
    batches = list(loader)
    for start in range(0, len(batches), window):
        optimizer.zero_grad()
        held = batches[start : start + window]
        for batch in held:
            loss = model(inputs=batch["inputs"], labels=batch["labels"]).loss
            accelerator.backward(loss / len(held))
        optimizer.step()


# %% yes
def train_in_windows(accelerator, model, optimizer, loader, window):
    model.train()
    batches = len(loader)
    tail = batches % window
    for step, batch in enumerate(loader):
        in_tail = step >= batches - tail
        accelerator.backward(model(**batch).loss * (1 / (tail if in_tail else window)))
        if (step + 1) % window == 0:
            optimizer.step()
            optimizer.zero_grad()
    if tail:
        optimizer.step()
        optimizer.zero_grad()


# %% yes
def train_in_windows(accelerator, model, optimizer, loader, window):
    held = 0
    for step, batch in enumerate(loader):
        accelerator.backward(model(**batch).loss)
        held += 1
        if held == window or step == len(loader) - 1:
            for parameter in model.parameters():
                parameter.grad /= held
            optimizer.step()
            model.zero_grad()
            held = 0


# %% no: The loss is not divided
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: it counts for too little. Section 2.5
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: The last window makes no update
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0:
            optimizer.step()
            optimizer.zero_grad()


# %% no: Only the last micro-batch of the window is in the update
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        optimizer.zero_grad()
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.step()


# %% no: Only the last micro-batch of the window is in the update
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss)
        if count % window == 0 or count == len(loader):
            optimizer.step()
        optimizer.zero_grad()


# %% no: where is `zero_grad`?
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.step()


# %% no: the first window closes after its first micro-batch
def train_in_windows(accelerator, model, optimizer, loader, window):
    for step, batch in enumerate(loader):
        accelerator.backward(model(**batch).loss / window)
        if step % window == 0 or step == len(loader) - 1:
            optimizer.step()
            optimizer.zero_grad()


# %% no: You make an update at each micro-batch
def train_in_windows(accelerator, model, optimizer, loader, window):
    for batch in loader:
        accelerator.backward(model(**batch).loss / window)
        optimizer.step()
        optimizer.zero_grad()


# %% no: You make an update at each micro-batch
def train_in_windows(accelerator, model, optimizer, loader, window):
    accelerator.gradient_accumulation_steps = window
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()


# %% no: You divide twice
def train_in_windows(accelerator, model, optimizer, loader, window):
    accelerator.gradient_accumulation_steps = window
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: Divided by the micro-batches of the epoch
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / len(loader))
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: `loss` is already a mean over samples
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / (window * len(batch["labels"])))
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: saves no memory
def train_in_windows(accelerator, model, optimizer, loader, window):
    total, held = 0, 0
    for count, batch in enumerate(loader, start=1):
        total += model(**batch).loss
        held += 1
        if count % window == 0 or count == len(loader):
            accelerator.backward(total / held)
            optimizer.step()
            optimizer.zero_grad()
            total, held = 0, 0


# %% no: The backward pass is not Accelerate's
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        loss = model(**batch).loss / window
        loss.backward()
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: There is an update with nothing in it
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0:
            optimizer.step()
            optimizer.zero_grad()
    optimizer.step()
    optimizer.zero_grad()


# %% no: `zero_grad` comes too early
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.zero_grad()
            optimizer.step()


# %% no: `optimizer.step()` was never called
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.zero_grad()


# %% no: of 6 micro-batches went through
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        if len(loader) - count < len(loader) % window:
            break
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0:
            optimizer.step()
            optimizer.zero_grad()


# %% no: or `accelerator.backward` too late
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        loss = model(**batch).loss / window
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()
        accelerator.backward(loss)


# %% no: ZeroDivisionError: division by zero at line 4 of your cell
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - count // window * window)
        accelerator.backward(model(**batch).loss * (1 / held))
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: UnboundLocalError
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        held = min(window, len(loader) - (count - 1) // window * window)
        accelerator.backward(model(**batch).loss / held)
        if count % window == 0:
            optimizer.step()
            optimizer.zero_grad()
    if count % window:
        optimizer.step()
        optimizer.zero_grad()


# %% no: `or`, not `and`
def train_in_windows(accelerator, model, optimizer, loader, window):
    for count, batch in enumerate(loader, start=1):
        accelerator.backward(model(**batch).loss / window)
        if count % window == 0 and count == len(loader):
            optimizer.step()
            optimizer.zero_grad()


# %% no: the earlier losses again and again
def train_in_windows(accelerator, model, optimizer, loader, window):
    total = 0
    for count, batch in enumerate(loader, start=1):
        total = total + model(**batch).loss / window
        accelerator.backward(total, retain_graph=True)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            optimizer.zero_grad()
            total = 0
