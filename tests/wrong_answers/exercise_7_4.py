# %% yes
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.gather(train(epoch)).mean().item()
        accelerator.wait_for_everyone()
        if score > best:
            best = score
            if accelerator.process_index == 0:
                save(epoch)
            accelerator.wait_for_everyone()
        else:
            return best
    return best


# %% yes
def repaired(accelerator, train, save, epochs):
    best, epoch, better = torch.tensor(0.0), 0, True
    while better and epoch < epochs:
        epoch += 1
        score = accelerator.reduce(train(epoch)) / accelerator.num_processes
        better = bool(score > best)
        if better and accelerator.is_main_process:
            save(epoch)
        best = torch.maximum(best, score)
        accelerator.wait_for_everyone()
    return best.item()


# %% no: Does it stand under `if accelerator.is_main_process`
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch).item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
            accelerator.wait_for_everyone()
    return best


# %% no: Does it stand under `if accelerator.is_main_process`
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch)
        if accelerator.is_main_process:
            score = accelerator.reduce(score, "mean")
        if score.item() <= best:
            break
        best = score.item()
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: an early `return`
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch)
        if not accelerator.is_main_process:
            return best
        score = accelerator.reduce(score, "mean").item()
        if score <= best:
            break
        best = score
        save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: Compare nothing before `reduce`
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch).item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: Some rank has stopped, and the others train on
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch)
        mean = accelerator.reduce(score, "mean").item()
        if mean > best and accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
        if score.item() <= best:
            break
        best = mean
    return best


# %% no: put a barrier behind the saving
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
    return best


# %% no: put a barrier behind the saving
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score <= best:
            break
        best = score
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            save(epoch)
    return best


# %% no: one process saves
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score <= best:
            break
        best = score
        save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: `reduce` adds up unless told
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch)).item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: the best score of rank 0 alone
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.gather(train(epoch)).flatten()[0].item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: the mean of all ranks' scores
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.gather(train(epoch)).max().item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: no better than the best so far
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score > best:
            best = score
            if accelerator.is_main_process:
                save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: as high as the best so far
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score < best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return best


# %% no: Only rank 0 returns the score
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score <= best:
            break
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        return best


# %% no: the best of its own scores
def repaired(accelerator, train, save, epochs):
    best = own = 0.0
    for epoch in range(1, epochs + 1):
        score = train(epoch)
        mean = accelerator.reduce(score, "mean").item()
        if mean <= best:
            break
        best, own = mean, max(own, score.item())
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()
    return own


# %% no: returns nothing
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch), "mean").item()
        if score <= best:
            return
        best = score
        if accelerator.is_main_process:
            save(epoch)
        accelerator.wait_for_everyone()


# %% no: TypeError: `reduce` takes tensors, and not float
def repaired(accelerator, train, save, epochs):
    best = 0.0
    for epoch in range(1, epochs + 1):
        score = accelerator.reduce(train(epoch).item(), "mean")
        if score <= best:
            break
        best = score
    return best


# %% no: was still running after 10 seconds
def repaired(accelerator, train, save, epochs):
    best, score = 0.0, 1.0
    while score > best:
        score = accelerator.reduce(train(1), "mean").item()
    return best
