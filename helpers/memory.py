"""How much memory a training step holds, counted in tensors and so the same on every machine."""

import torch
from torch.autograd.graph import saved_tensors_hooks

MIB = 2**20


class SavedActivations:
    """While entered, counts the activations that autograd keeps for the backward pass.

    `now` and `peak` are in MiB. A storage that several operations keep counts once; parameters
    do not count, they are there anyway. Short-lived buffers inside an operation are not seen: on a
    GPU, `torch.cuda.max_memory_allocated()` includes them. Uses
    `torch.autograd.graph.saved_tensors_hooks`.
    """

    def __init__(self) -> None:
        self._users: dict[int, int] = {}
        self._bytes = self._peak_bytes = 0

    def __enter__(self) -> "SavedActivations":
        self._hooks = saved_tensors_hooks(self._pack, lambda kept: kept.tensor)
        self._hooks.__enter__()
        return self

    def __exit__(self, *exception) -> None:
        self._hooks.__exit__(*exception)

    @property
    def now(self) -> float:
        """MiB kept at this moment."""
        return self._bytes / MIB

    @property
    def peak(self) -> float:
        """The largest number of MiB kept at once so far."""
        return self._peak_bytes / MIB

    def _pack(self, tensor: torch.Tensor) -> "_Kept":
        owner = tensor if tensor._base is None else tensor._base  # a transposed weight is a view
        parameter = owner.is_leaf and owner.requires_grad
        return _Kept(None if parameter else self, tensor)

    def _count(self, storage: torch.UntypedStorage, step: int) -> None:
        key = storage.data_ptr()
        users = self._users.get(key, 0)
        self._users[key] = users + step
        if (users == 0 and step == 1) or (users == 1 and step == -1):
            self._bytes += step * storage.nbytes()
            self._peak_bytes = max(self._peak_bytes, self._bytes)


class _Kept:
    """Stands for a tensor in autograd's graph; gone when the graph lets go of it."""

    def __init__(self, counter: SavedActivations | None, tensor: torch.Tensor) -> None:
        # Detached: an output that held on to its own graph would never be let go.
        self.counter, self.tensor = counter, tensor.detach()
        if counter is not None:
            counter._count(tensor.untyped_storage(), 1)

    def __del__(self) -> None:
        if self.counter is not None:
            self.counter._count(self.tensor.untyped_storage(), -1)


def tensor_mib(tensors) -> float:
    """Return the size of `tensors` (an iterable of tensors) in MiB."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) / MIB
