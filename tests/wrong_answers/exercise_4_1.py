# %% yes
@torch.no_grad()
def computed_in(accelerator, model, inputs):
    (layer,) = [module for module in model.modules() if type(module) is torch.nn.Linear]
    heard = {}

    def hear(module, arguments, output):
        heard["dtype"] = output.dtype

    with layer.register_forward_hook(hear):
        accelerator.prepare_model(model, evaluation_mode=True)(inputs)
    return heard["dtype"]


# %% yes
def computed_in(accelerator, model, inputs):
    prepared = accelerator.prepare(model)
    inside = accelerator.unwrap_model(prepared)
    layer = next(m for m in inside.modules() if isinstance(m, torch.nn.Linear))
    original, types = layer.forward, []

    def forward(values):
        result = original(values)
        types.append(str(result.dtype))
        return result

    layer.forward = forward
    prepared(inputs)
    del layer.forward
    return types[-1]


# %% yes
def computed_in(accelerator, model, inputs):
    seen = []
    layer = next(layer for layer in model.modules() if isinstance(layer, torch.nn.Linear))
    hook = layer.register_forward_hook(lambda *given: seen.append(given[-1].dtype))
    try:
        with accelerator.autocast():
            model(inputs)
    finally:
        hook.remove()
    return seen[0]


# %% no: what you asked for
def computed_in(accelerator, model, inputs):
    return accelerator.mixed_precision


# %% no: fp16 is what was asked for
def computed_in(accelerator, model, inputs):
    model = accelerator.prepare(model)
    model(inputs)
    types = {"no": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    return types[accelerator.mixed_precision]


# %% no: makes no forward pass of this model
def computed_in(accelerator, model, inputs):
    types = {"no": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    return types[accelerator.mixed_precision]


# %% no: makes no forward pass of this model
def computed_in(accelerator, model, inputs):
    types = {"fp16": torch.float16, "bf16": torch.bfloat16}
    if accelerator.native_amp:
        return types[accelerator.mixed_precision]
    return torch.float32


# %% no: makes no forward pass of this model
def computed_in(accelerator, model, inputs):
    return next(accelerator.prepare(model).parameters()).dtype


# %% no: makes no forward pass of this model
def computed_in(accelerator, model, inputs):
    with accelerator.autocast():
        return torch.nn.Linear(4, 4)(torch.ones(1, 4)).dtype


# %% no: float32 is what goes in and what comes out
def computed_in(accelerator, model, inputs):
    return accelerator.prepare(model)(inputs).dtype


# %% no: float32 is what goes in and what comes out
def computed_in(accelerator, model, inputs):
    model = accelerator.prepare(model)
    model(inputs)
    return next(model.parameters()).dtype


# %% no: float32 is what goes in and what comes out
def computed_in(accelerator, model, inputs):
    found = []
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            hook = layer.register_forward_hook(lambda _, args, out: found.append(args[0].dtype))
    model = accelerator.prepare(model)
    model(inputs)
    hook.remove()
    return found[0]


# %% no: other layers may give float32 too
def computed_in(accelerator, model, inputs):
    found = []
    hook = model.layers[0].register_forward_hook(lambda _, __, out: found.append(out.dtype))
    accelerator.prepare(model)(inputs)
    hook.remove()
    return found[0]


# %% no: other layers may give float32 too
def computed_in(accelerator, model, inputs):
    found, hooks = [], []
    for layer in list(model.modules())[1:]:
        hooks.append(layer.register_forward_hook(lambda _, __, out: found.append(out.dtype)))
    accelerator.prepare(model)(inputs)
    for hook in hooks:
        hook.remove()
    return found[-1]


# %% no: was not prepared
def computed_in(accelerator, model, inputs):
    found = []
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            hook = layer.register_forward_hook(lambda _, __, out: found.append(out.dtype))
    model(inputs)
    hook.remove()
    return found[0]


# %% no: The hook stays on the layer
def computed_in(accelerator, model, inputs):
    found = []
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            hook = layer.register_forward_hook(lambda _, __, out: found.append(out.dtype))
    model = accelerator.prepare(model)
    model(inputs)
    return found[0]


# %% no: is there a `return`
def computed_in(accelerator, model, inputs):
    found = []
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            hook = layer.register_forward_hook(lambda _, __, out: found.append(out.dtype))
    model = accelerator.prepare(model)
    model(inputs)
    hook.remove()


# %% no: Wanted is a `dtype`
def computed_in(accelerator, model, inputs):
    found = []
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            hook = layer.register_forward_hook(lambda _, __, out: found.append(out.dtype))
    model = accelerator.prepare(model)
    model(inputs)
    hook.remove()
    return found


# %% no: fp16 is what was asked for
def computed_in(accelerator, model, inputs):
    found = []
    layer = next(layer for layer in model.modules() if isinstance(layer, torch.nn.Linear))
    hook = layer.register_forward_hook(lambda _, __, out: found.append(out.dtype))
    dtype = torch.float16 if accelerator.mixed_precision == "fp16" else torch.bfloat16
    with torch.autocast("cpu", dtype=dtype, enabled=accelerator.mixed_precision != "no"):
        model(inputs)
    hook.remove()
    return found[0]
