# %% yes
def exact_scores(model, loader, accelerator):
    was_training = model.training
    model.eval()
    losses, right = [], []
    with torch.inference_mode():
        for batch in loader:
            logits = model(**batch).logits
            each = torch.nn.functional.cross_entropy(logits, batch["labels"], reduction="none")
            hits = logits.argmax(dim=-1) == batch["labels"]
            each, hits = accelerator.gather_for_metrics((each, hits))
            losses.append(each)
            right.append(hits.float())
    if was_training:
        model.train()
    if not losses:
        return {"loss": float("nan"), "accuracy": float("nan")}
    return {"loss": torch.cat(losses).mean(), "accuracy": torch.cat(right).mean()}


# %% yes
@torch.no_grad()
def exact_scores(model, loader, accelerator):
    before = model.training
    model.train(False)
    total = torch.zeros(3)
    for step, batch in enumerate(loader, start=1):
        outputs = model(inputs=batch["inputs"], labels=batch["labels"])
        size = batch["labels"].shape[0]
        right = (outputs.logits.softmax(dim=1).max(dim=1).indices == batch["labels"]).sum()
        total += torch.tensor([outputs.loss * size, right, size])
    model.train(before)
    loss, right, samples = total
    return {"loss": loss / samples, "accuracy": right / samples}


# %% no: the mean of the batches' means
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item()
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / len(loader), "accuracy": correct / samples}


# %% no: the mean of the batches' accuracies
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += (outputs.logits.argmax(dim=-1) == batch["labels"]).float().mean().item()
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / len(loader)}


# %% no: the loss of the last batch alone
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss = outputs.loss.item()
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss, "accuracy": correct / samples}


# %% no: Dropout is on in these passes
def exact_scores(model, loader, accelerator):
    training = model.training
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: The model came in train mode
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: The model came in eval mode
def exact_scores(model, loader, accelerator):
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train()
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: `eval()` does not switch gradients off
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    if True:
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: the number of right answers
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct}


# %% no: That is a percentage
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": 100 * correct / samples}


# %% no: The classes are the last dimension
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=0) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: leaves some samples out
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            size = len(batch["labels"])
            if size < loader.total_batch_size:
                break
            outputs = model(**batch)
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: no `backward`, no `zero_grad`
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    model.zero_grad()
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: division by zero at line 13
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: 0 would be a result
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": 0.0, "accuracy": 0.0}
    return {"loss": loss / samples, "accuracy": correct / samples}


# %% no: Divide it by the number of samples
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return {"loss": loss, "accuracy": correct / samples}


# %% no: Wanted is a dictionary
def exact_scores(model, loader, accelerator):
    training = model.training
    model.eval()
    loss, correct, samples = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            outputs = model(**batch)
            size = len(batch["labels"])
            loss += outputs.loss.item() * size
            correct += int((outputs.logits.argmax(dim=-1) == batch["labels"]).sum())
            samples += size
    model.train(training)
    if samples == 0:
        return {"loss": math.nan, "accuracy": math.nan}
    return loss / samples, correct / samples
