# %% yes
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    return [type(x).__name__ for x in (model, optimizer, loader, scheduler)]


# %% yes
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    model = accelerator.prepare(model)
    optimizer = accelerator.prepare(optimizer)
    loader = accelerator.prepare(loader)
    scheduler = accelerator.prepare(scheduler)
    return tuple(type(x).__qualname__ for x in (model, optimizer, loader, scheduler))


# %% no: classes of what you put in
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    accelerator.prepare(model, optimizer, loader, scheduler)
    return [type(x).__name__ for x in (model, optimizer, loader, scheduler)]


# %% no: Their names are wanted
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    return [type(x) for x in accelerator.prepare(model, optimizer, loader, scheduler)]


# %% no: their order is not
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    return [type(x).__name__ for x in accelerator.prepare(model, loader, optimizer, scheduler)]


# %% no: without its module
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    return [str(type(x)) for x in accelerator.prepare(model, optimizer, loader, scheduler)]


# %% no: ask each returned object
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    return ["Classifier", "AcceleratedOptimizer", "DataLoaderShard", "AcceleratedScheduler"]


# %% no: a list of four names
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    return type(accelerator.prepare(model, optimizer, loader, scheduler)).__name__


# %% no: returns nothing
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    print([type(x).__name__ for x in accelerator.prepare(model, optimizer, loader, scheduler)])


# %% no: `__class__` may pretend
def what_prepare_returns(accelerator, model, optimizer, loader, scheduler):
    returned = accelerator.prepare(model, optimizer, loader, scheduler)
    return [x.__class__.__name__ for x in returned]
