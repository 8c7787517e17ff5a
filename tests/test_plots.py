"""Figures show what they are given, in more ways than colour, and `describe` reads it off them."""

import io
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.axes import Axes

from helpers import plots
from helpers.history import History

WHITE = (1.0, 1.0, 1.0, 1.0)


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Draw without a screen, and close every figure that a test has made."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def run_of(name: str, losses: list[float], samples: int = 4, window: int = 1) -> History:
    """Return a run with these losses, an update every `window` micro-batches."""
    history = History(name)
    sgd = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    for number, loss in enumerate(losses, start=1):
        updated = number % window == 0
        history.record(torch.tensor(loss), sgd, samples=samples, updated=updated)
    return history


def three_curves() -> Axes:
    """Return axes with three curves of different lengths."""
    series = {
        "falls": ([1, 2, 3], [0.9, 0.5, 0.25]),
        "rises": ([1, 2], [0.125, 0.75]),
        "one point": ([1], [0.5]),
    }
    return plots.curves(series, "optimizer updates", "loss (nats per review)", title="three")


def pixels(ax: Axes) -> torch.Tensor:
    """Return the figure as a viewer shows it: height x width x (red, green, blue, opacity)."""
    file = io.BytesIO()
    ax.figure.savefig(file, format="png")
    file.seek(0)
    return torch.tensor(plt.imread(file))


def described(ax: Axes, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that `describe` prints."""
    capsys.readouterr()
    plots.describe(ax)
    return capsys.readouterr().out.splitlines()


def test_describe_reads_series_lengths_ends_and_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Each series is named with its points, its first and last value, and its place at the end."""
    assert described(three_curves(), capsys) == [
        "across: optimizer updates; up: loss (nats per review); three",
        "falls      3 points, first 0.900, last 0.250",
        "rises      2 points, first 0.125, last 0.750",
        "one point  1 point, first 0.500, last 0.500",
        "last values, highest first: rises > one point > falls",
    ]


def test_describe_reads_the_axes_and_not_its_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """What is changed on the axes is what is described: the text cannot differ from the figure."""
    ax = three_curves()
    line = ax.get_lines()[0]
    line.set_data([1, 2], [0.5, 2.0])
    line.set_label("changed")
    ax.get_lines()[1].remove()
    ax.set_ylabel("something else")
    assert described(ax, capsys) == [
        "across: optimizer updates; up: something else; three",
        "changed    2 points, first 0.500, last 2.000",
        "one point  1 point, first 0.500, last 0.500",
        "last values, highest first: changed > one point",
    ]


@pytest.mark.parametrize(
    ("last", "order"),
    [
        ({"a": 0.5, "b": 0.5}, "a = b"),
        ({"a": 0.5, "b": 0.5004}, "a = b"),  # in the order drawn, whichever is higher
        ({"a": 0.5, "b": 0.502}, "b > a"),
        ({"a": 0.1, "b": 0.5, "c": 0.5}, "b = c > a"),
    ],
)
def test_describe_calls_equal_what_is_equal(
    capsys: pytest.CaptureFixture[str], last: dict[str, float], order: str
) -> None:
    """Values within 0.001 count as equal, so the words are the same on every processor."""
    series = {name: ([1], [value]) for name, value in last.items()}
    lines = described(plots.curves(series, "x", "y"), capsys)
    assert lines[-1] == f"last values, highest first: {order}"


def test_describe_one_series_has_no_order(capsys: pytest.CaptureFixture[str]) -> None:
    """A single series is not compared with itself; small values keep their digits."""
    ax = plots.schedule({"linear": [5e-5, 2.5e-5]})
    assert described(ax, capsys) == [
        "across: optimizer updates; up: learning rate (per update)",
        "linear  2 points, first 5.0e-05, last 2.5e-05",
    ]


def test_describe_reads_windows(capsys: pytest.CaptureFixture[str]) -> None:
    """Bars are described by their lengths; a window that stays open is called open."""
    ax = plots.windows({"full": [4, 4], "tail": [4, 2], "left open": [4, -2]})
    assert described(ax, capsys) == [
        "across: micro-batches",
        "full: 4, 4",
        "tail: 4, 2",
        "left open: 4, 2 (open)",
    ]


def test_windows_stand_one_behind_the_other() -> None:
    """Each bar begins where the one before it ends, rows from the top, in alternating colours."""
    ax = plots.windows({"first": [4, 2], "second": [3, -1]})
    bars = [bars[0] for bars in ax.containers]
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0, 4), (4, 2), (0, 3), (3, 1)]
    assert bars[0].get_facecolor() != bars[1].get_facecolor()
    assert [bool(bar.get_hatch()) for bar in bars] == [False, False, False, True]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert ax.yaxis_inverted()


@pytest.mark.parametrize(
    ("against", "xs", "ys"),
    [
        ("updates", [1, 2], [1.5, 3.5]),
        ("micro-batches", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]),
        ("samples", [4, 8, 12, 16], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_loss_curves_against_each_axis(against: str, xs: list[int], ys: list[float]) -> None:
    """The same run against updates, micro-batches and samples: each has its own points."""
    ax = plots.loss_curves([run_of("a run", [1.0, 2.0, 3.0, 4.0], window=2)], against=against)
    (line,) = ax.get_lines()
    assert (list(line.get_xdata()), list(line.get_ydata())) == (xs, ys)
    assert line.get_label() == "a run"


def test_loss_curves_against_an_unknown_axis() -> None:
    """Another word is refused, with the three that are known."""
    with pytest.raises(ValueError, match="expected 'updates', 'micro-batches' or 'samples'"):
        plots.loss_curves([run_of("a run", [1.0])], against="epochs")


def test_smoothing_averages_neighbours_and_says_so() -> None:
    """A mean of three loses the first two points, and the title tells the reader."""
    ax = plots.loss_curves([run_of("a run", [1.0, 2.0, 3.0, 7.0])], smooth=3)
    (line,) = ax.get_lines()
    assert list(line.get_xdata()) == [3, 4]
    assert list(line.get_ydata()) == [2.0, 4.0]
    assert "the mean of 3 neighbours" in ax.get_title(loc="left")


def test_seven_series_differ_in_more_than_colour() -> None:
    """Seven series have seven colours, and none shares line style and marker with another."""
    series = {f"series {number}": ([1, 2], [number, number]) for number in range(7)}
    lines = plots.curves(series, "x", "y").get_lines()
    assert len({line.get_color() for line in lines}) == 7
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 7


def test_four_long_series_differ_in_line_style() -> None:
    """Curves too long for markers are still told apart without colour, up to four of them."""
    series = {f"series {number}": (range(100), [number] * 100) for number in range(4)}
    assert len({line.get_linestyle() for line in plots.curves(series, "x", "y").get_lines()}) == 4


def test_curves_that_coincide_stay_visible() -> None:
    """Of three equal curves each later one is narrower, so that the earlier shows beside it."""
    series = {name: (range(100), [0.5] * 100) for name in ("first", "second", "third")}
    widths = [line.get_linewidth() for line in plots.curves(series, "x", "y").get_lines()]
    assert widths[0] > widths[1] > widths[2] > 0


def test_a_legend_names_every_series_and_hides_none() -> None:
    """Two series or more have a legend, below the axes."""
    ax = three_curves()
    (legend,) = ax.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["falls", "rises", "one point"]
    ax.figure.canvas.draw()
    assert legend.get_window_extent().y1 <= ax.get_window_extent().y0


ALL_KINDS = {
    "curves": three_curves,
    "loss_curves": lambda: plots.loss_curves([run_of("a", [1.0, 2.0]), run_of("b", [1.0, 3.0])]),
    "schedule": lambda: plots.schedule({"constant": [0.1, 0.1]}),
    "accuracy": lambda: plots.accuracy({"validation": [0.5, 0.75]}),
    "windows": lambda: plots.windows({"tail": [4, -2]}),
}


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_axes_are_labelled(kind: str) -> None:
    """Every figure says what is across, and either what is up or the name of each row."""
    ax = ALL_KINDS[kind]()
    assert ax.get_xlabel()
    assert ax.get_ylabel() or [label.get_text() for label in ax.get_yticklabels()] == ["tail"]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_background_is_white_and_opaque(kind: str) -> None:
    """Behind no part of the figure does the page show through, whatever its theme."""
    ax = ALL_KINDS[kind]()
    image = pixels(ax)
    assert (image[..., 3] == 1).all()
    assert tuple(image[0, 0].tolist()) == tuple(image[-1, -1].tolist()) == WHITE
    assert ax.get_facecolor() == WHITE
