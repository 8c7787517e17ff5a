# %% yes
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norms.append(torch.nn.utils.get_total_norm([p.grad for p in model.parameters()]))
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=max_norm)
        scaler.step(optimizer)
        scaler.update()
    return norms


# %% yes
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        model.zero_grad(set_to_none=False)
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        grads = [p.grad for p in model.parameters()]
        norm = sum(grad.square().sum() for grad in grads).sqrt().item()
        if norm > max_norm:
            for grad in grads:
                grad.mul_(max_norm / (norm + 1e-6))
        scaler.step(optimizer)
        scaler.update()
        norms += [norm]
    return torch.tensor(norms)


# %% no: First unscale, then clip
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: First unscale, then clip
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: clipped with the scale in it
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scale = scaler.get_scale()
        scaler.scale(model(batch)).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item() / scale)
    return norms


# %% no: `scaler.update()` once a batch
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: unscale_() has already been called
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: `optimizer.step()` does not ask
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: No inf checks were recorded
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: nothing is clipped when the update is made
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: nothing is clipped when the update is made
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.get_total_norm([p.grad for p in model.parameters()])
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: nothing was multiplied
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        loss = model(batch)
        scaler.scale(loss)
        loss.backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: the norm after clipping
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(min(norm.item(), max_norm))
    return norms


# %% no: The gradient of the batch before is still there
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        norms.append(norm.item())
    return norms


# %% no: after a skipped step as well
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        if norm.isfinite():
            scaler.step(optimizer)
            scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: unscale_() is being called after step()
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        optimizer.zero_grad()
        norms.append(norm.item())
    if norms:
        scaler.update()
    return norms


# %% no: a list with one norm a batch
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item()) if norm.isfinite() else None
    return norms


# %% no: a list with one norm a batch
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms = norm.item()
    return norms


# %% no: is there a `return`
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())


# %% no: the norm's square
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norms.append(sum(p.grad.square().sum() for p in model.parameters()).item())
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    return norms


# %% no: it was taken out twice
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    norms = []
    for batch in loader:
        scale = scaler.get_scale()
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        for parameter in model.parameters():
            parameter.grad /= scale
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        norms.append(norm.item())
    return norms


# %% no: Wanted is a list with one norm a batch
def scaled_norms(model, optimizer, loader, scaler, max_norm):
    for batch in loader:
        scaler.scale(model(batch)).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return [norm.item()]
    return [0.0]
