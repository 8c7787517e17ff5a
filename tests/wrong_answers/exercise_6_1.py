# %% yes
def tokens_that_count(labels, causal):
    first = 1 if causal else 0
    return sum(label != -100 for row in labels.tolist() for label in row[first:])


# %% yes
def tokens_that_count(labels, causal):
    counted = labels.ne(-100)
    if causal:
        counted[:, 0] = False
    return counted.sum()


# %% no: All places are counted
def tokens_that_count(labels, causal):
    return labels.numel()


# %% no: Counted before the shift
def tokens_that_count(labels, causal):
    return (labels != -100).sum().item()


# %% no: One less for each row
def tokens_that_count(labels, causal):
    count = (labels != -100).sum().item()
    return count - len(labels) if causal else count


# %% no: The last column is cut off
def tokens_that_count(labels, causal):
    kept = labels[:, :-1] if causal else labels
    return (kept != -100).sum().item()


# %% no: this model does not shift
def tokens_that_count(labels, causal):
    return (labels[:, 1:] != -100).sum().item()


# %% no: leaves out the first row
def tokens_that_count(labels, causal):
    kept = labels[1:] if causal else labels
    return (kept != -100).sum().item()


# %% no: Each row has a first place of its own
def tokens_that_count(labels, causal):
    flat = labels.flatten()
    return (flat[1:] != -100).sum().item() if causal else (flat != -100).sum().item()


# %% no: places with -100 are counted
def tokens_that_count(labels, causal):
    return labels[:, 1:].numel() if causal else (labels != -100).sum().item()


# %% no: Is there a `return`
def tokens_that_count(labels, causal):
    print((labels[:, 1:] != -100).sum() if causal else (labels != -100).sum())
