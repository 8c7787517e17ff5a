# %% yes
def window_loss(means, counts):
    pairs = [pair for rank in zip(means, counts) for pair in zip(*rank) if pair[1] > 0]
    tokens = sum(count for _, count in pairs)
    return sum(mean * count / tokens for mean, count in pairs)


# %% yes
def window_loss(means, counts):
    flat_means = torch.tensor([mean for rank in means for mean in rank])
    flat_counts = torch.tensor([count for rank in counts for count in rank])
    total = torch.nan_to_num(flat_means * flat_counts).sum()
    return total / flat_counts.sum().clamp(min=1)


# %% no: This is the mean of the means
def window_loss(means, counts):
    flat = [mean for rank in means for mean in rank]
    return sum(flat) / len(flat)


# %% no: Right within each process
def window_loss(means, counts):
    each = []
    for own_means, own_counts in zip(means, counts):
        if sum(own_counts):
            total = sum(mean * count for mean, count in zip(own_means, own_counts))
            each.append(total / sum(own_counts))
    return sum(each) / len(each)


# %% no: leave a micro-batch without a token out
def window_loss(means, counts):
    total = tokens = 0
    for own_means, own_counts in zip(means, counts):
        for mean, count in zip(own_means, own_counts):
            total += mean * count
            tokens += count
    return total / tokens


# %% no: expected 0
def window_loss(means, counts):
    total = tokens = 0
    for own_means, own_counts in zip(means, counts):
        for mean, count in zip(own_means, own_counts):
            if count:
                total += mean * count
                tokens += count
    return total / tokens


# %% no: It is still to be divided by their number
def window_loss(means, counts):
    total = 0
    for own_means, own_counts in zip(means, counts):
        total += sum(mean * count for mean, count in zip(own_means, own_counts))
    return total


# %% no: divided by the number of micro-batches
def window_loss(means, counts):
    total = batches = 0
    for own_means, own_counts in zip(means, counts):
        for mean, count in zip(own_means, own_counts):
            total += mean * count
            batches += 1
    return total / batches


# %% no: This is the first process alone
def window_loss(means, counts):
    pairs = list(zip(means[0], counts[0]))
    return sum(mean * count for mean, count in pairs) / sum(count for _, count in pairs)


# %% no: The means are added up as they are
def window_loss(means, counts):
    return sum(map(sum, means)) / sum(map(sum, counts))
