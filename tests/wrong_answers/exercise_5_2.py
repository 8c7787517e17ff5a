# %% yes
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% yes
def when_to_stop(losses, patience, least):
    best = None
    for i in range(len(losses)):
        if not math.isnan(losses[i]) and (best is None or losses[best] - losses[i] > least):
            best = i
        since = i - (-1 if best is None else best)
        if since == patience:
            return [i + 1, 0 if best is None else best + 1]
    return [len(losses), 0 if best is None else best + 1]


# %% yes
def when_to_stop(losses, patience, least):
    epochs, best, at = 0, float("inf"), 0
    while epochs < len(losses) and (epochs == 0 or epochs - at < patience):
        epochs += 1
        if losses[epochs - 1] + least < best:
            best, at = losses[epochs - 1], epochs
    return torch.tensor([epochs, at])


# %% no: A new best starts the count anew
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch = loss, epoch
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: You compare with the epoch before
def when_to_stop(losses, patience, least):
    last, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < last - least:
            best_epoch, waited = epoch, 0
        else:
            waited += 1
        last = loss
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: is no new best: `<`, not `<=`
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss <= best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: Where is `least`?
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: One epoch late
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited > patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: One epoch early
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited + 1 >= patience and epoch > 1:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: `else` takes nan for a new best
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss >= best - least:
            waited += 1
        else:
            best, best_epoch, waited = loss, epoch, 0
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: You take the first loss as the best
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = (losses or [0])[0], min(1, len(losses)), 0
    for epoch, loss in enumerate(losses, start=1):
        if epoch == 1 or loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: 0 is reached by any epoch
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
            if waited >= patience:
                return epoch, best_epoch
    return len(losses), best_epoch


# %% no: Epochs are counted from 1
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: The best of the whole list
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, losses.index(min(losses)) + 1
    return len(losses), losses.index(min(losses)) + 1 if losses else 0


# %% no: never stops before the end
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            pass
    return len(losses), best_epoch


# %% no: Your best is the highest
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = -math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss > best + least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best_epoch
    return len(losses), best_epoch


# %% no: wrong order
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return best_epoch, epoch
    return best_epoch, len(losses)


# %% no: the epoch, not its loss
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch, best
    return len(losses), best


# %% no: Wanted are two numbers
def when_to_stop(losses, patience, least):
    best, best_epoch, waited = math.inf, 0, 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best - least:
            best, best_epoch, waited = loss, epoch, 0
        else:
            waited += 1
        if waited >= patience:
            return epoch
    return len(losses)


# %% no: was still running after 10 seconds
def when_to_stop(losses, patience, least):
    epoch, best, best_epoch, waited = 0, math.inf, 0, 0
    while waited < patience:
        if losses[epoch % len(losses)] < best - least:
            best, best_epoch, waited = losses[epoch], epoch + 1, 0
            epoch += 1
    return epoch, best_epoch


# %% no: IndexError: list index out of range at line 3
def when_to_stop(losses, patience, least):
    epoch, best, best_epoch = 0, math.inf, 0
    while losses[epoch] < best - least or epoch + 1 - best_epoch < patience:
        if losses[epoch] < best - least:
            best, best_epoch = losses[epoch], epoch + 1
        epoch += 1
    return epoch + 1, best_epoch
