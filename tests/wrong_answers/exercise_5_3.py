# %% yes
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    inner = accelerator.unwrap_model(model)
    folder = tempfile.mkdtemp()
    losses, best = [], None
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
        losses.append(score(model))
        if not math.isnan(losses[epoch]) and (best is None or losses[epoch] < losses[best]):
            best = epoch
            accelerator.save_model(model, folder)
    if best is not None:
        load_checkpoint_in_model(inner, folder)
    return losses


# %% yes
import copy


def keep_best(model, optimizer, loader, accelerator, score, epochs):
    best, kept = float("inf"), copy.deepcopy(model.state_dict())
    losses = torch.zeros(epochs)
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            outputs = model(**batch)
            accelerator.backward(outputs.loss)
            optimizer.step()
            optimizer.zero_grad()
        losses[epoch] = score(model)
        if losses[epoch] < best:
            best, kept = losses[epoch], copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    model.eval()
    return losses


# %% yes
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    states, losses = [], []
    for epoch in range(1, epochs + 1):
        model.train()
        for step, batch in enumerate(loader, start=1):
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(accelerator.unwrap_model(model)))
        states.append([values.detach().clone() for values in model.parameters()])
    numbers = [epoch for epoch in range(epochs) if losses[epoch] == losses[epoch]]
    if numbers:
        with torch.no_grad():
            best = min(numbers, key=losses.__getitem__)
            for parameter, values in zip(model.parameters(), states[best], strict=True):
                parameter.copy_(values)
    return losses


# %% no: `state_dict()` copies nothing
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = model.state_dict()
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: `state_dict()` copies nothing
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = dict(model.state_dict())
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: Either nothing was loaded
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    return losses


# %% no: Either nothing was loaded
import copy


def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = copy.deepcopy(model)
    if kept is not None:
        model = kept
    return losses


# %% no: you keep the last: `<`, not `<=`
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] <= best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: Compare with the best so far
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if len(losses) == 1 or losses[-1] < losses[-2]:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: You take the first loss as the best, even nan
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if len(losses) == 1 or losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: a loss is better when it is lower
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], -math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] > best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: `model.train()` belongs inside the loop
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    model.train()
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: in a wrapped model every name begins with `module.`
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, folder = [], math.inf, tempfile.mkdtemp()
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            accelerator.save_model(model, folder)
    if best < math.inf:
        load_checkpoint_in_model(model, folder)
    return losses


# %% no: the weights before the best epoch
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        now = {name: values.clone() for name, values in model.state_dict().items()}
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best, kept = losses[-1], now
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: the best weights go back once, after the last epoch
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
        else:
            model.load_state_dict(kept)
    return losses


# %% no: Wanted are the validation losses of all epochs
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return best


# %% no: epochs over the whole loader
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if len(losses) > 1 and losses[-1] > losses[-2]:
            break
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    return losses


# %% no: TypeError: Expected state_dict to be dict-like
def keep_best(model, optimizer, loader, accelerator, score, epochs):
    losses, best, kept = [], math.inf, None
    for _ in range(epochs):
        model.train()
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(score(model))
        if losses[-1] < best:
            best = losses[-1]
            kept = {name: values.clone() for name, values in model.state_dict().items()}
    model.load_state_dict(kept)
    return losses
