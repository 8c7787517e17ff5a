# %% yes
def fp16_verdict(record, fp32_losses):
    layer, weights = record["layer"], record["weights"]
    if layer == torch.float16:
        return "all fp16" if weights == layer else "mixed fp16"
    if layer:
        return "not fp16"
    pairs = list(zip(record["losses"], fp32_losses))
    if pairs and all(a == b for a, b in pairs):
        return "not fp16"
    return "cannot tell"


# %% yes
def fp16_verdict(record, fp32_losses):
    match record["layer"], record["weights"]:
        case torch.float16, torch.float16:
            return "all fp16"
        case torch.float16, _:
            return "mixed fp16"
        case None, _:
            differences = [abs(a - b) for a, b in zip(record["losses"], fp32_losses)]
            return "cannot tell" if max(differences, default=1) > 0 else "not fp16"
    return "not fp16"


# %% no: fp16 is what was asked for
def fp16_verdict(record, fp32_losses):
    return "mixed fp16" if record["mixed_precision"] == "fp16" else "not fp16"


# %% no: it is on for bf16 too
def fp16_verdict(record, fp32_losses):
    return "mixed fp16" if record["native_amp"] else "not fp16"


# %% no: no autocast was needed
def fp16_verdict(record, fp32_losses):
    if record["native_amp"] and record["mixed_precision"] == "fp16":
        return "mixed fp16"
    return "not fp16"


# %% no: Still, the layer computed in fp32
def fp16_verdict(record, fp32_losses):
    if record["weights"] == torch.float16 and record["layer"] == torch.float16:
        return "all fp16"
    if record["native_amp"] and record["mixed_precision"] == "fp16":
        return "mixed fp16"
    return "mixed fp16" if record["layer"] == torch.float16 else "not fp16"


# %% no: only the products are in fp16
def fp16_verdict(record, fp32_losses):
    return "all fp16" if record["layer"] == torch.float16 else "not fp16"


# %% no: the weights are in fp16 too
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        return "not fp16" if record["losses"] == fp32_losses else "cannot tell"
    return "mixed fp16" if record["layer"] == torch.float16 else "not fp16"


# %% no: Autocast converts them, and here to bf16
def fp16_verdict(record, fp32_losses):
    if record["weights"] == torch.float16:
        return "all fp16"
    return "mixed fp16" if record["layer"] == torch.float16 else "not fp16"


# %% no: whoever asked for it
def fp16_verdict(record, fp32_losses):
    if record["layer"] != torch.float16:
        return "not fp16"
    if record["weights"] == torch.float16:
        return "all fp16"
    return "mixed fp16" if record["native_amp"] else "not fp16"


# %% no: Nobody probed, and that proves nothing
def fp16_verdict(record, fp32_losses):
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: Every loss is equal
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        return "cannot tell"
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: They would differ in bf16 as well
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        return "not fp16" if record["losses"] == fp32_losses else "mixed fp16"
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: compare by `==`
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        close = all(abs(a - b) < 1e-6 for a, b in zip(record["losses"], fp32_losses))
        return "not fp16" if measured and close else "cannot tell"
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: how the weights are stored
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None and record["weights"] == torch.float16:
        return "all fp16"
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        return "not fp16" if measured and record["losses"] == fp32_losses else "cannot tell"
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: two empty lists are equal
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        return "not fp16" if record["losses"] == fp32_losses else "cannot tell"
    if record["layer"] != torch.float16:
        return "not fp16"
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: a probe decides
def fp16_verdict(record, fp32_losses):
    if record["layer"] == torch.float16:
        return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"
    return "not fp16" if fp32_losses and record["losses"] == fp32_losses else "cannot tell"


# %% no: one of four strings
def fp16_verdict(record, fp32_losses):
    if record["layer"] is None:
        measured = len(fp32_losses) > 0
        return "not fp16" if measured and record["losses"] == fp32_losses else "cannot tell"
    if record["layer"] != torch.float16:
        return False
    return "all fp16" if record["weights"] == torch.float16 else "mixed fp16"


# %% no: one of four strings
def fp16_verdict(record, fp32_losses):
    return record["layer"] == torch.float16
