"""The course's figures, and `describe`: the same figure in words.

Series differ in colour (Okabe and Ito's palette, safe for colour-blind readers), in line style and
in marker. The background is white and opaque, so a figure reads the same in a dark theme. Legends
stand below the axes, where they hide nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from helpers.history import History

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LOSS, UPDATES = "loss (nats per review)", "optimizer updates"

Curve = tuple[Sequence[float], Sequence[float]]


def curves(
    series: Mapping[str, Curve],
    xlabel: str,
    ylabel: str,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw each `name: (xs, ys)` as a line and return the axes. Labels must name their units."""
    ax = ax or _axes()
    for number, (name, (xs, ys)) in enumerate(series.items()):
        # Curves that coincide stay visible: each is drawn narrower over the one before.
        ax.plot(
            xs, ys, label=name, markersize=4, linewidth=max(1.2, 2.8 - 0.6 * number),
            color=COLOURS[number % len(COLOURS)], linestyle=STYLES[number % len(STYLES)],
            marker=MARKERS[number % len(MARKERS)] if len(xs) <= 30 else None,
        )  # fmt: skip
    return _finish(ax, xlabel, ylabel, title)


def loss_curves(histories: Sequence[History], *, against: str = "updates", smooth: int = 1) -> Axes:
    """Draw one loss curve a run and return the axes.

    `against` is "updates" (each point the mean over its accumulation window), "micro-batches" or
    "samples" (each point one micro-batch). `smooth` averages that many neighbouring points, so a
    curve loses its first `smooth - 1` points.
    """
    labels = {"updates": UPDATES, "samples": "samples seen", "micro-batches": "micro-batches"}
    if against not in labels:
        raise ValueError(
            f"against is {against!r}; expected 'updates', 'micro-batches' or 'samples'."
        )
    series = {}
    for history in histories:
        losses = history.update_losses() if against == "updates" else history.losses
        xs = accumulate(history.samples) if against == "samples" else range(1, len(losses) + 1)
        ends = range(smooth, len(losses) + 1)
        means = [sum(losses[end - smooth : end]) / smooth for end in ends]
        series[history.name] = (list(xs)[smooth - 1 :], means)
    title = "" if smooth == 1 else f"each point is the mean of {smooth} neighbours"
    return curves(series, labels[against], LOSS, title=title)


def schedule(series: Mapping[str, Sequence[float]], *, xlabel: str = UPDATES) -> Axes:
    """Draw the learning rate of each update, one line a schedule, and return the axes."""
    numbered = {name: (range(1, len(rates) + 1), rates) for name, rates in series.items()}
    return curves(numbered, xlabel, "learning rate (per update)")


def accuracy(series: Mapping[str, Sequence[float]]) -> Axes:
    """Draw an accuracy between 0 and 1 for each epoch, one line a series, and return the axes."""
    numbered = {name: (range(1, len(values) + 1), values) for name, values in series.items()}
    return curves(numbered, "epoch", "accuracy (share of reviews)")


def windows(rows: Mapping[str, Sequence[int]], *, xlabel: str = "micro-batch") -> Axes:
    """Draw accumulation windows as bars and return the axes.

    Each row is the sequence of its windows' lengths in micro-batches. A negative length is a
    window still open at the end: its gradient is never applied. It is drawn hatched.
    """
    ax = _axes(height=0.9 + 0.55 * len(rows))
    for row, (name, lengths) in enumerate(rows.items()):
        start = 0
        for number, length in enumerate(lengths):
            fill, hatch = (COLOURS[number % 2], None) if length > 0 else ("white", "///")
            bars = ax.barh(
                row, abs(length), left=start, height=0.62,
                color=fill, edgecolor="black", hatch=hatch, label=name,
            )  # fmt: skip
            text = str(length) if length > 0 else f"{-length} open"
            box = None if length > 0 else {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
            colour = "white" if length > 0 else "black"
            ax.bar_label(bars, [text], label_type="center", color=colour, bbox=box)
            start += abs(length)
    ax.set_yticks(range(len(rows)), rows.keys())
    ax.invert_yaxis()
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(f"{xlabel}es" if xlabel.endswith("batch") else xlabel)
    _clean(ax)
    ax.grid(False)
    return ax


def describe(ax: Axes) -> None:
    """Print what a figure shows, read off its axes: series, lengths, ends and order."""
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    if ax.containers and not lines:
        return _describe_bars(ax)
    title = ax.get_title(loc="left")
    print(f"across: {ax.get_xlabel()}; up: {ax.get_ylabel()}" + (f"; {title}" if title else ""))
    width = max((len(line.get_label()) for line in lines), default=0)
    for line in lines:
        ys = [float(y) for y in line.get_ydata()]
        points = f"{len(ys)} point{'s' if len(ys) != 1 else ''}"
        print(
            f"{line.get_label():<{width}}  {points}, first {_short(ys[0])}, last {_short(ys[-1])}"
        )
    if len(lines) > 1:
        last = {line.get_label(): float(line.get_ydata()[-1]) for line in lines}
        print("last values, highest first: " + _order(last))


def _describe_bars(ax: Axes) -> None:
    print(f"across: {ax.get_xlabel()}")
    lengths: dict[str, list[str]] = {}
    for bars in ax.containers:
        text = f"{bars[0].get_width():g}" + (" (open)" if bars[0].get_hatch() else "")
        lengths.setdefault(bars.get_label(), []).append(text)
    for name, texts in lengths.items():
        print(f"{name}: " + ", ".join(texts))


def _order(last: dict[str, float]) -> str:
    """Join names from highest to lowest; values within 0.001 of their neighbour count as equal.

    Names with equal values keep the order in which they were drawn, so that the text does not
    depend on a processor's last digits.
    """
    drawn = list(last)
    groups: list[list[str]] = []
    for name in sorted(last, key=last.__getitem__, reverse=True):
        if groups and last[groups[-1][-1]] - last[name] < 1e-3:
            groups[-1].append(name)
        else:
            groups.append([name])
    return " > ".join(" = ".join(sorted(group, key=drawn.index)) for group in groups)


def _short(value: float) -> str:
    return f"{value:.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:.1e}"


def _axes(height: float = 3.6) -> Axes:
    figure, ax = plt.subplots(figsize=(7.2, height), dpi=96, layout="constrained")
    figure.set_facecolor("white")
    return ax


def _clean(ax: Axes) -> None:
    ax.set_facecolor("white")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def _finish(ax: Axes, xlabel: str, ylabel: str, title: str) -> Axes:
    _clean(ax)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.set_title(title, fontsize=10, loc="left")
    if xlabel in (UPDATES, "epoch", "micro-batches"):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    names = ax.get_legend_handles_labels()[1]
    if len(names) > 1:
        ax.figure.legend(loc="outside lower center", ncols=min(len(names), 3), frameon=False)
    return ax
