# %% yes
def fair_updates(accelerator, model, optimizer, loader):
    window = accelerator.gradient_accumulation_steps
    samples, size = len(loader.dataset), loader.batch_size
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        first = step // window * window * size
        held = min(window * size, samples - first)
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * window * len(batch) / held)
            optimizer.step()
            optimizer.zero_grad()


# %% yes
def fair_updates(accelerator, model, optimizer, loader):
    sizes = [len(batch) for batch in loader]
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for count, batch in enumerate(loader, start=1):
        start = (count - 1) // window * window
        with accelerator.accumulate(model):
            share = len(batch) / sum(sizes[start : start + window])
            accelerator.backward(window * share * model(batch))
            optimizer.step()
            optimizer.zero_grad()


# %% no: divided by the configured window
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()


# %% no: divided by the configured window
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window, held = accelerator.gradient_accumulation_steps, 0
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch))
            held += 1
            optimizer.step()
            if accelerator.sync_gradients:
                for parameter in model.parameters():
                    parameter.grad *= window / held
                held = 0
            optimizer.zero_grad()


# %% no: Weight each loss by its samples
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for step, batch in enumerate(loader):
        length = min(window, len(loader) - step // window * window)
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * window / length)
            optimizer.step()
            optimizer.zero_grad()


# %% no: `accelerator.backward` has divided by the window
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    samples = 0
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * len(batch))
            samples += len(batch)
            if accelerator.sync_gradients:
                for parameter in model.parameters():
                    parameter.grad /= samples
                samples = 0
            optimizer.step()
            optimizer.zero_grad()


# %% no: The factor is upside down
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for step, batch in enumerate(loader):
        length = min(window, len(loader) - step // window * window)
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * length / window)
            optimizer.step()
            optimizer.zero_grad()


# %% no: applied to every window
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    length = len(loader) % window or window
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * window / length)
            optimizer.step()
            optimizer.zero_grad()


# %% no: count the samples that came
def fair_updates(accelerator, model, optimizer, loader):
    size = loader.batch_size
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for step, batch in enumerate(loader):
        held = min(window, len(loader) - step // window * window) * size
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * window * len(batch) / held)
            optimizer.step()
            optimizer.zero_grad()


# %% no: Start it anew after each update
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window, samples = accelerator.gradient_accumulation_steps, 0
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * len(batch))
            samples += len(batch)
            if accelerator.sync_gradients:
                for parameter in model.parameters():
                    parameter.grad *= window / samples
            optimizer.step()
            optimizer.zero_grad()


# %% no: count micro-batches from 0 here
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for step, batch in enumerate(loader, start=1):
        length = min(window, len(loader) - step // window * window) or window
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * window / length)
            optimizer.step()
            optimizer.zero_grad()


# %% no: Nothing counts your micro-batches
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window, samples = accelerator.gradient_accumulation_steps, 0
    for step, batch in enumerate(loader, start=1):
        accelerator.backward(model(batch) * len(batch))
        samples += len(batch)
        if step % window == 0 or step == len(loader):
            for parameter in model.parameters():
                parameter.grad *= window / samples
            optimizer.step()
            optimizer.zero_grad()
            samples = 0


# %% no: ZeroDivisionError: division by zero at line 6 of your cell
def fair_updates(accelerator, model, optimizer, loader):
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    window = accelerator.gradient_accumulation_steps
    for step, batch in enumerate(loader):
        with accelerator.accumulate(model):
            accelerator.backward(model(batch) * (window / (len(loader) % window)))
            optimizer.step()
            optimizer.zero_grad()
