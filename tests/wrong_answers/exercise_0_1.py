# %% yes
def padding_share(lengths):
    return 1 - sum(lengths) / len(lengths) / max(lengths)


# %% yes
def padding_share(lengths):
    longest, missing = max(lengths), 0
    for length in lengths:
        missing = missing + (longest - length)
    return missing / (longest * len(lengths))


# %% no: share of real tokens
def padding_share(lengths):
    return sum(lengths) / (max(lengths) * len(lengths))


# %% no: number of padding tokens
def padding_share(lengths):
    return max(lengths) * len(lengths) - sum(lengths)


# %% no: percentage
def padding_share(lengths):
    return 100 * (1 - sum(lengths) / max(lengths) / len(lengths))


# %% no: divide by the real tokens
def padding_share(lengths):
    return max(lengths) * len(lengths) / sum(lengths) - 1


# %% no: returns nothing
def padding_share(lengths):
    1 - sum(lengths) / (max(lengths) * len(lengths))


# %% no: rectangle has as many columns
def padding_share(lengths):
    return 0.2


# %% no: ZeroDivisionError: division by zero at line 2 of your cell
def padding_share(lengths):
    return 1 / 0


# %% no: expected 0.2, got [0.2]
def padding_share(lengths):
    return [0.2]


# %% no: got nan
def padding_share(lengths):
    return float("nan")


# %% no: calls the answer that it is compared with
def padding_share(lengths):
    from helpers.checks import chapter_00

    return chapter_00._padding_share(lengths)
