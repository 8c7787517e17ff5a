# %% yes
def largest_difference(make_model, loader, learning_rate):
    def run(precision):
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = accelerator.prepare(make_model())
        optimizer = accelerator.prepare(SGD(model.parameters(), lr=learning_rate))
        losses = []
        for batch in accelerator.prepare(loader):
            optimizer.zero_grad()
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses) if losses else torch.zeros(1)

    half, full = run("bf16"), run("no")
    return (half.double() - full.double()).abs().max()


# %% yes
def largest_difference(make_model, loader, learning_rate):
    runs = []
    for precision in ["bf16", "no"]:
        model = make_model()
        model.train()
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, batches = accelerator.prepare(model, loader)
        runs.append([])
        for batch in batches:
            with accelerator.autocast():
                loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            model.zero_grad()
            runs[-1].append(loss.detach().item())
    worst = 0.0
    for one, other in zip(*runs):
        worst = max(worst, abs(one - other))
    return worst


# %% no: begins where the first one ended
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    model = make_model()
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: begins where the first one ended
def largest_difference(make_model, loader, learning_rate):
    losses = {"bf16": [], "no": []}
    model = make_model()
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: begins where the first one ended
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    model = make_model()
    weights = model.state_dict()
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model.load_state_dict(weights)
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: prepared once is not wrapped again
def largest_difference(make_model, loader, learning_rate):
    model = make_model()
    start = {name: value.clone() for name, value in model.state_dict().items()}
    runs = []
    for precision in ["no", "bf16"]:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model.load_state_dict(start)
        optimizer = SGD(model.parameters(), lr=learning_rate)
        prepared, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        runs.append([])
        for batch in batches:
            loss = prepared(batch)
            accelerator.backward(loss)
            optimizer.step()
            model.zero_grad()
            runs[-1].append(loss.item())
    worst = 0.0
    for one, other in zip(*runs):
        worst = max(worst, abs(one - other))
    return worst


# %% no: AcceleratorState has already been initialized
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: both runs were in one precision
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        accelerator = Accelerator()
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: both runs were in one precision
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        optimizer, batches = accelerator.prepare(optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: fp16 on a CPU is no other precision
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "fp16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision, cpu=True)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["fp16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: Differences have two directions
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((full - half for full, half in pairs), default=0.0)


# %% no: Differences have two directions
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((half - full for full, half in pairs), default=0.0)


# %% no: the difference of the last losses
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    gaps = [abs(full - half) for full, half in pairs] or [0.0]
    return gaps[-1]


# %% no: the difference of the first losses
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    gaps = [abs(full - half) for full, half in pairs] or [0.0]
    return gaps[0]


# %% no: the mean of the differences
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    gaps = [abs(full - half) for full, half in pairs] or [0.0]
    return sum(gaps) / len(gaps)


# %% no: the sum of the differences
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    gaps = [abs(full - half) for full, half in pairs] or [0.0]
    return sum(gaps)


# %% no: the difference of the mean losses
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    full, half = losses["no"], losses["bf16"]
    return abs(sum(full) / len(full) - sum(half) / len(half))


# %% no: That compares the largest loss of each run
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return abs(max(losses["no"], default=0.0) - max(losses["bf16"], default=0.0))


# %% no: Nothing was trained
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: earlier batches are still there
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)


# %% no: no batch: expected 0, got ValueError
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max(abs(full - half) for full, half in pairs)


# %% no: the largest of the differences
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    gaps = [abs(full - half) for full, half in pairs] or [0.0]
    return gaps


# %% no: loss by loss
def largest_difference(make_model, loader, learning_rate):
    losses = {"no": [], "bf16": []}
    for precision in losses:
        reset_accelerate()
        accelerator = Accelerator(mixed_precision=precision)
        model = make_model()
        optimizer = SGD(model.parameters(), lr=2 * learning_rate)
        model, optimizer, batches = accelerator.prepare(model, optimizer, loader)
        for batch in batches:
            loss = model(batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses[precision].append(loss.item())
    pairs = zip(losses["no"], losses["bf16"], strict=True)
    return max((abs(full - half) for full, half in pairs), default=0.0)
