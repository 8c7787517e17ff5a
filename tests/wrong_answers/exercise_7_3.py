# %% yes
def exact_accuracy(model, loader, accelerator):
    right = total = 0
    for batch in loader:
        predicted = model(**batch).logits.argmax(-1)
        predicted, labels = accelerator.gather_for_metrics((predicted, batch["labels"]))
        right += (predicted == labels).sum().item()
        total += len(labels)
    return right / total


# %% yes
def exact_accuracy(model, loader, accelerator):
    hits = []
    for batch in loader:
        hits.append(accelerator.gather(model(**batch).logits.argmax(-1) == batch["labels"]))
    return torch.cat(hits)[: len(loader.dataset)].float().mean()


# %% yes
def exact_accuracy(model, loader, accelerator):
    hits = []
    with torch.inference_mode():
        for batch in loader:
            both = {"said": model(**batch).logits, "labels": batch["labels"]}
            both = accelerator.gather_for_metrics(both)
            hits += (both["said"].argmax(dim=1) == both["labels"]).tolist()
            accelerator.wait_for_everyone()
    return hits.count(True) / len(hits)


# %% yes
def exact_accuracy(model, loader, accelerator):
    hits = []
    for batch in loader:
        own = (model(**batch).logits.argmax(-1) == batch["labels"]).tolist()
        hits += accelerator.gather_for_metrics(own)
    return sum(hits) / len(loader.dataset)


# %% yes
def exact_accuracy(model, loader, accelerator):
    right, length = 0, len(loader.dataset)
    for count, batch in enumerate(loader):
        first = (count * accelerator.num_processes + accelerator.process_index) * loader.batch_size
        held = max(0, min(len(batch["labels"]), length - first))
        hits = model(**batch).logits.argmax(-1) == batch["labels"]
        right += hits[:held].sum()
    return accelerator.reduce(right, "sum").item() / length


# %% no: this rank's share alone
def exact_accuracy(model, loader, accelerator):
    right = total = 0
    for batch in loader:
        right += (model(**batch).logits.argmax(-1) == batch["labels"]).sum().item()
        total += len(batch["labels"])
    return right / total


# %% no: count twice
def exact_accuracy(model, loader, accelerator):
    hits = []
    for batch in loader:
        hits.append(accelerator.gather(model(**batch).logits.argmax(-1) == batch["labels"]))
    return torch.cat(hits).float().mean().item()


# %% no: A mean of the ranks' accuracies does that too
def exact_accuracy(model, loader, accelerator):
    hits = [model(**batch).logits.argmax(-1) == batch["labels"] for batch in loader]
    own = torch.cat(hits).float().mean()
    return accelerator.reduce(own, "mean").item()


# %% no: count twice
def exact_accuracy(model, loader, accelerator):
    counts = torch.zeros(2)
    for batch in loader:
        hits = model(**batch).logits.argmax(-1) == batch["labels"]
        counts += torch.tensor([hits.sum(), len(hits)])
    right, total = accelerator.reduce(counts)
    return (right / total).item()


# %% no: In each batch, `gather_for_metrics` cuts them off
def exact_accuracy(model, loader, accelerator):
    hits = [model(**batch).logits.argmax(-1) == batch["labels"] for batch in loader]
    return accelerator.gather_for_metrics(torch.cat(hits).float()).mean().item()


# %% no: the mean of the batches' accuracies
def exact_accuracy(model, loader, accelerator):
    found = []
    for batch in loader:
        hits = model(**batch).logits.argmax(-1) == batch["labels"]
        found.append(accelerator.gather_for_metrics(hits).float().mean())
    return torch.stack(found).mean().item()


# %% no: but count right answers among those
def exact_accuracy(model, loader, accelerator):
    right = 0
    for batch in loader:
        hits = model(**batch).logits.argmax(-1) == batch["labels"]
        right += accelerator.reduce(hits.sum(), "sum").item()
    return right / len(loader.dataset)


# %% no: if you give it one row a review
def exact_accuracy(model, loader, accelerator):
    found = []
    for batch in loader:
        hits = (model(**batch).logits.argmax(-1) == batch["labels"]).float()
        found.append(accelerator.gather_for_metrics(hits.mean()))
    return torch.stack([each.mean() for each in found]).mean().item()


# %% no: Right answers of one rank
def exact_accuracy(model, loader, accelerator):
    right = 0
    for batch in loader:
        right += (model(**batch).logits.argmax(-1) == batch["labels"]).sum().item()
    return right / len(loader.dataset)


# %% no: the others return nothing
def exact_accuracy(model, loader, accelerator):
    hits = []
    for batch in loader:
        own = model(**batch).logits.argmax(-1) == batch["labels"]
        hits.append(accelerator.gather_for_metrics(own))
    if accelerator.is_main_process:
        return torch.cat(hits).float().mean().item()


# %% no: Every rank has to make every collective call
def exact_accuracy(model, loader, accelerator):
    hits = [model(**batch).logits.argmax(-1) == batch["labels"] for batch in loader]
    if accelerator.is_main_process:
        return accelerator.gather(torch.cat(hits)).float().mean().item()
    return torch.cat(hits).float().mean().item()


# %% no: Divide it by the number of reviews
def exact_accuracy(model, loader, accelerator):
    right = 0
    for batch in loader:
        own = model(**batch).logits.argmax(-1) == batch["labels"]
        right += accelerator.gather_for_metrics(own).sum().item()
    return right


# %% no: `gather_for_metrics` takes tensors, and not float
def exact_accuracy(model, loader, accelerator):
    found = []
    for batch in loader:
        hits = (model(**batch).logits.argmax(-1) == batch["labels"]).float()
        found.append(accelerator.gather_for_metrics(hits.mean().item()))
    return sum(found) / len(found)


# %% no: no `num_process` here
def exact_accuracy(model, loader, accelerator):
    hits = [model(**batch).logits.argmax(-1) == batch["labels"] for batch in loader]
    return torch.cat(hits).float().mean().item() / accelerator.num_process
