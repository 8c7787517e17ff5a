# %% yes
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    loader, optimizer, model = accelerator.prepare(loader, optimizer, model)
    synced = []
    for _ in range(epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                synced.append(accelerator.sync_gradients)
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
    each = len(loader)
    return ["".join("01"[s] for s in synced[n * each : n * each + each]) for n in range(epochs)]


# %% yes
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    options = GradientAccumulationPlugin(sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=options)
    accelerator.gradient_accumulation_steps = window
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    def step(batch):
        with accelerator.accumulate(model):
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()
        return str(int(accelerator.sync_gradients))

    return ["".join([step(batch) for batch in loader]) for _ in range(epochs)]


# %% no: You can only pass one of `gradient_accumulation_steps` and `gradient_accumulation_plugin`
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(
        gradient_accumulation_steps=window, gradient_accumulation_plugin=plugin
    )
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: a plugin without `num_steps`
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: The plugin has to hear of this choice too
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    accelerator = Accelerator(gradient_accumulation_steps=window)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: The end of the loader goes unseen
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer = accelerator.prepare(model, optimizer)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: there is no block of `accumulate`
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: you read `sync_gradients` before the block
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
    return pattern


# %% no: One accelerator, for all epochs
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    pattern = []
    for _ in range(epochs):
        plugin = GradientAccumulationPlugin(
            num_steps=window, sync_with_dataloader=sync_with_dataloader
        )
        accelerator = Accelerator(gradient_accumulation_plugin=plugin)
        prepared_model, prepared, batches = accelerator.prepare(model, optimizer, loader)
        pattern.append("")
        for batch in batches:
            with accelerator.accumulate(prepared_model):
                accelerator.backward(prepared_model(batch))
                prepared.step()
                prepared.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: That was predicted
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    Accelerator(gradient_accumulation_plugin=plugin)
    steps = len(loader)
    return [
        "".join(
            "1"
            if (step + (0 if sync_with_dataloader else epoch * steps)) % window == 0
            or (sync_with_dataloader and step == steps)
            else "0"
            for step in range(1, steps + 1)
        )
        for epoch in range(epochs)
    ]


# %% no: Was it prepared
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, loader = accelerator.prepare(model, loader)
    pattern = []
    for _ in range(epochs):
        pattern.append("")
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern[-1] += "1" if accelerator.sync_gradients else "0"
    return pattern


# %% no: Wanted is a list with one string an epoch
def traced_updates(model, optimizer, loader, epochs, window, sync_with_dataloader):
    plugin = GradientAccumulationPlugin(num_steps=window, sync_with_dataloader=sync_with_dataloader)
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    pattern = []
    for _ in range(epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch))
                optimizer.step()
                optimizer.zero_grad()
            pattern.append(accelerator.sync_gradients)
    return pattern
