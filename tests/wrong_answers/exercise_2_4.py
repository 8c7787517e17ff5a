# %% yes
def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    start = {name: values.clone() for name, values in model.state_dict().items()}

    def losses(clip):
        model.load_state_dict(start)
        model.zero_grad()
        optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
        found = []
        for batch in loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            found.append(loss.detach())
            accelerator.backward(loss)
            if clip:
                accelerator.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
        return torch.tensor(found)

    differences = (losses(False) - losses(True)).abs()
    return differences.max() if len(differences) else 0


# %% yes
import copy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    clipped, free = copy.deepcopy(model), copy.deepcopy(model)
    optimizers = [torch.optim.SGD(each.parameters(), learning_rate) for each in (clipped, free)]
    largest = 0.0
    for batch in loader:
        losses = [each(**batch).loss for each in (clipped, free)]
        for loss in losses:
            accelerator.backward(loss)
        torch.nn.utils.clip_grad_norm_(clipped.parameters(), max_norm)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        largest = max(largest, (losses[0] - losses[1]).abs().item())
    return largest


# %% no: Both runs had the same losses
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Both runs had the same losses
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Both runs had the same losses
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: goes on with the weights that the first one has trained
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = model
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: goes on with the weights that the first one has trained
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    trained = deepcopy(model)
    for limit in (max_norm, float("inf")):
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: take `abs` of each
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((a - b for a, b in zip(*runs)), default=0.0)


# %% no: That is a mean
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    differences = [abs(a - b) for a, b in zip(*runs)]
    return sum(differences) / len(differences) if differences else 0.0


# %% no: That is a sum
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return sum(abs(a - b) for a, b in zip(*runs))


# %% no: difference of the last losses
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return abs(runs[0][-1] - runs[1][-1]) if runs[0] else 0.0


# %% no: Compare batch by batch
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return abs(max(runs[0], default=0.0) - max(runs[1], default=0.0))


# %% no: Whose parameters does its optimizer hold
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    copies = [deepcopy(model), deepcopy(model)]
    optimizer = torch.optim.SGD(copies[0].parameters(), lr=learning_rate)
    for trained, limit in zip(copies, (max_norm, float("inf"))):
        losses = []
        for batch in loader:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Do the weights of both change
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        losses = []
        for batch in loader:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: where is `zero_grad`
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: You clip to 1
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (1.0, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Record the loss that `backward` got
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(trained(**batch).loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Wanted is one number
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return [abs(a - b) for a, b in zip(*runs)]


# %% no: returns nothing
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    largest = max((abs(a - b) for a, b in zip(*runs)), default=0.0)


# %% no: Without a batch
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)), default=float("nan"))


# %% no: ValueError: max()
from copy import deepcopy


def effect_of_clipping(accelerator, model, loader, learning_rate, max_norm):
    runs = []
    for limit in (max_norm, float("inf")):
        trained = deepcopy(model)
        optimizer = torch.optim.SGD(trained.parameters(), lr=learning_rate)
        trained, optimizer, batches = accelerator.prepare(trained, optimizer, loader)
        losses = []
        for batch in batches:
            loss = trained(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(trained.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        runs.append(losses)
    return max((abs(a - b) for a, b in zip(*runs)))
