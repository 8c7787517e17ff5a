"""The memory counter against a network whose saved activations can be counted by hand."""

import torch

from helpers.memory import MIB, SavedActivations, tensor_mib

ROWS, IN, HIDDEN = 4, 8, 16
FLOAT = 4  # bytes
# The first layer keeps its input for its weight's gradient. ReLU keeps its output, which is the
# second layer's input: one storage, counted once. Weights are there anyway.
INPUT, ACTIVATION = ROWS * IN * FLOAT, ROWS * HIDDEN * FLOAT
ONE_STEP = INPUT + ACTIVATION


def network() -> torch.nn.Sequential:
    """Return two linear layers with a ReLU between them."""
    return torch.nn.Sequential(
        torch.nn.Linear(IN, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)
    )


def batch() -> torch.Tensor:
    """Return one batch of inputs, in memory of its own."""
    return torch.ones(ROWS, IN)


def in_bytes(mib: float) -> int:
    """Return MiB as bytes."""
    return round(mib * MIB)


def test_a_forward_pass_is_counted_to_the_byte() -> None:
    """Inputs and activations count, each once; weights and views of weights do not."""
    with SavedActivations() as kept:
        loss = network()(batch()).sum()
        assert in_bytes(kept.now) == ONE_STEP
    assert loss.requires_grad


def test_a_tensor_that_two_operations_keep_counts_once() -> None:
    """`x * x` keeps its one operand twice, and in memory it is there once."""
    scale = torch.ones(ROWS, requires_grad=True)
    with SavedActivations() as kept:
        x = scale + 0
        y = x * x + x.exp() * 0  # `exp` keeps its result, a second storage
        assert in_bytes(kept.now) == 2 * ROWS * FLOAT
        del y


def test_backward_frees_what_was_kept() -> None:
    """After the backward pass nothing is kept, and the peak remembers."""
    with SavedActivations() as kept:
        network()(batch()).sum().backward()
    assert kept.now == 0
    assert in_bytes(kept.peak) == ONE_STEP


def test_a_graph_that_is_let_go_frees_what_was_kept() -> None:
    """A loss without a backward pass, a skipped batch say, keeps nothing once it is gone."""
    with SavedActivations() as kept:
        loss = network()(batch()).sum()
        assert in_bytes(kept.now) == ONE_STEP
        del loss
    assert kept.now == 0


def test_an_output_that_is_kept_for_its_own_gradient_can_be_let_go() -> None:
    """tanh keeps its output: a counter that held on to the graph with it would never free it."""
    weights = torch.ones(ROWS, IN, requires_grad=True)
    with SavedActivations() as kept:
        output = torch.tanh(weights)
        assert in_bytes(kept.now) == INPUT
        del output
        assert kept.now == 0


def test_a_second_step_does_not_add_to_the_peak() -> None:
    """One step after the other needs the memory of one: the count does not drift."""
    model = network()
    with SavedActivations() as kept:
        for _ in range(3):
            model(batch()).sum().backward()
    assert kept.now == 0
    assert in_bytes(kept.peak) == ONE_STEP


def test_graphs_that_are_kept_add_up() -> None:
    """Losses summed before one backward pass keep every step's activations."""
    model = network()
    with SavedActivations() as kept:
        total = torch.zeros(())
        for step in range(1, 4):
            total = total + model(batch()).sum()
            assert in_bytes(kept.now) == step * ONE_STEP
        total.backward()
    assert kept.now == 0
    assert in_bytes(kept.peak) == 3 * ONE_STEP


def test_nothing_is_kept_without_gradients() -> None:
    """Under `no_grad` autograd keeps nothing."""
    with SavedActivations() as kept, torch.no_grad():
        network()(batch())
    assert kept.peak == 0


def test_nothing_is_counted_outside() -> None:
    """Only what happens inside the `with` block is counted."""
    with SavedActivations() as kept:
        pass
    network()(batch()).sum().backward()
    assert kept.peak == 0


def test_gradients_are_the_same_under_the_counter() -> None:
    """Looking at the memory changes no number."""
    model = network()
    model(batch()).sum().backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    with SavedActivations():
        model(batch()).sum().backward()
    for parameter, gradient in zip(model.parameters(), expected, strict=True):
        assert torch.equal(parameter.grad, gradient)


def test_the_size_of_tensors() -> None:
    """`tensor_mib` multiplies elements by their size, for every type."""
    tensors = [torch.zeros(MIB // 4), torch.zeros(MIB // 2, dtype=torch.bfloat16)]
    assert tensor_mib(tensors) == 2.0
