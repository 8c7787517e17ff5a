# %% yes
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    loader, scheduler, optimizer, model = accelerator.prepare(loader, scheduler, optimizer, model)
    model.train()
    losses = []
    for step, batch in enumerate(loader):
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            losses.append(loss.detach())
    return torch.stack(losses) if losses else []


# %% yes
def with_accumulate(model, optimizer, scheduler, loader, window):
    plugin = GradientAccumulationPlugin(num_steps=window)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        loss = model(batch)
        with accelerator.accumulate(model):
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            scheduler.step()
        losses.append(float(loss))
    return losses


# %% no: Give the window to the accelerator
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator()
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Give the window to the accelerator
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for count, batch in enumerate(loader, start=1):
        loss = model(batch)
        accelerator.backward(loss / window)
        if count % window == 0 or count == len(loader):
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Nothing counts your micro-batches
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        loss = model(batch)
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: The backward pass comes before the block
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        loss = model(batch)
        accelerator.backward(loss)
        with accelerator.accumulate(model):
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: The end of the loader goes unseen
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Divided twice
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss / window)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Not divided by the window
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: Only the last micro-batch is left
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            optimizer.zero_grad()
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        losses.append(loss.item())
    return losses


# %% no: does not know of windows
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, loader, scheduler = accelerator.prepare(model, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: where is `zero_grad`
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        losses.append(loss.item())
    return losses


# %% no: `zero_grad` comes after `step`
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.zero_grad()
            optimizer.step()
            scheduler.step()
        losses.append(loss.item())
    return losses


# %% no: The schedule takes a step at each micro-batch
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()
        losses.append(loss.item())
    return losses


# %% no: The rate stays as it is
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    scheduler.step()
    return losses


# %% no: The schedule is one step ahead
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            scheduler.step()
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: You repair the tail
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    losses = []
    for step, batch in enumerate(loader):
        with accelerator.accumulate(model):
            loss = model(batch)
            length = min(window, len(loader) - step // window * window)
            accelerator.backward(loss * window / length)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# %% no: AttributeError: 'Accelerator' object has no attribute 'accumulation' at line 5 of your cell
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for batch in loader:
        with accelerator.accumulation(model):
            accelerator.backward(model(batch))


# %% no: returns nothing
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        print(loss.item())


# %% no: was still running after 10 seconds and was stopped
def with_accumulate(model, optimizer, scheduler, loader, window):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    while not accelerator.sync_gradients or window:
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
