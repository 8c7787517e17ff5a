# %% yes
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.gradient_accumulation_steps * accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% yes
def token_updates(accelerator, model, optimizer, loader, max_norm):
    window = accelerator.gradient_accumulation_steps
    batches = list(loader)
    counts = [torch.sum(batch[:, 1:] != -100) for batch in batches]
    for start in range(0, len(batches), window):
        total = accelerator.reduce(sum(counts[start : start + window]))
        accelerator.gradient_state._set_sync_gradients(True)
        for labels, count in zip(batches[start : start + window], counts[start : start + window]):
            weight = count * window * accelerator.num_processes / total
            accelerator.backward(model(labels) * weight)
        accelerator.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        optimizer.zero_grad()


# %% yes
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count.item()
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.gather(torch.tensor(tokens)).sum()
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: this is the mean of the means
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: The mean goes in without its count
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Too small by the window
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: A sum over the tokens: it is still
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: The count goes on from window to window
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()


# %% no: Divided by the tokens of the last micro-batch
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens = count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Labels are counted before the shift
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: All places are counted
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = labels.numel()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(torch.tensor(tokens))
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Too small by the number of processes
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = 1 / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Too large by the number of processes
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / tokens
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Clipped before the division
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: Not clipped
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                tokens = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: where is `zero_grad`
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.step()


# %% no: `zero_grad` comes after `step`
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.zero_grad()
            optimizer.step()


# %% no: where is `optimizer.step()`
def token_updates(accelerator, model, optimizer, loader, max_norm):
    tokens = 0
    for labels in loader:
        with accelerator.accumulate(model):
            count = (labels[:, 1:] != -100).sum()
            tokens += count
            loss = model(labels) * count * accelerator.gradient_accumulation_steps
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                factor = accelerator.num_processes / accelerator.reduce(tokens)
                for parameter in model.parameters():
                    parameter.grad *= factor
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
                tokens = 0
            optimizer.zero_grad()
