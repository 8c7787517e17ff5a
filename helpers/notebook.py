"""What every chapter's setup cell does, beside its imports."""

import datasets
import transformers
from accelerate.state import AcceleratorState, GradientState


def quiet() -> None:
    """Turn off progress bars and load reports, so that a page's output is what its cells print."""
    datasets.disable_progress_bars()
    transformers.logging.disable_progress_bar()
    transformers.logging.set_verbosity_error()


def reset_accelerate() -> None:
    """Forget Accelerate's process-wide state, so that a cell can build an `Accelerator` again.

    Accelerate keeps device, precision and accumulation settings once a process. A second
    `Accelerator` with another precision is refused while they stand. This is how Accelerate's own
    tests start afresh (`accelerate.test_utils.testing.AccelerateTestCase`).
    """
    AcceleratorState._reset_state(reset_partial_state=True)
    GradientState._reset_state()
