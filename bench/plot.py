"""Plots as SVG, written by hand: how many times better or worse each figure is, and MB/s side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bench.peers import KAFKA, RIACHO
from bench.summary import Line
from bench.table import number_text

LABEL_WIDTH, PLOT_WIDTH, ROW_HEIGHT, TOP = 420, 460, 20, 54
RIACHO_COLOUR, KAFKA_COLOUR, WORSE_COLOUR, INK = "#1f8a70", "#8a8f98", "#c8553d", "#24292f"


def ratio_plot(lines: Sequence[Line]) -> str:
    """One bar a figure on a logarithmic scale: to the right of the middle Riacho is better, to the left worse."""
    shown = [(line, line.times_better) for line in lines]
    bars = [(f"{line.figure.name} ({line.figure.unit})", times) for line, times in shown if times is not None]
    reach = max([abs(math.log2(times)) for _, times in bars] + [1.0])
    middle, scale = LABEL_WIDTH + PLOT_WIDTH / 2, (PLOT_WIDTH / 2 - 50) / reach
    height = TOP + ROW_HEIGHT * len(bars) + 20
    parts = [_text(middle, 20, f"Times better (right) or worse (left) than {KAFKA}", "middle", bold=True)]
    for power in range(-int(reach), int(reach) + 1):
        x = middle + power * scale
        parts.append(_line(x, TOP - 8, x, height - 16, "#000" if power == 0 else "#ddd"))
        parts.append(_text(x, TOP - 12, f"{2 ** abs(power)}x", "middle"))
    for number, (label, times) in enumerate(bars):
        y = TOP + ROW_HEIGHT * number
        length = math.log2(times) * scale
        colour = RIACHO_COLOUR if times >= 1 else WORSE_COLOUR
        parts.append(_text(LABEL_WIDTH - 8, y + 13, label, "end"))
        parts.append(_bar(min(middle, middle + length), y + 3, abs(length), ROW_HEIGHT - 6, colour))
        end, anchor = (middle + length + 4, "start") if times >= 1 else (middle + length - 4, "end")
        parts.append(_text(end, y + 13, f"{times:.2f}" if times >= 1 else f"1/{1 / times:.2f}", anchor))
    return _svg(LABEL_WIDTH + PLOT_WIDTH, height, parts)


def throughput_plot(lines: Sequence[Line]) -> str:
    """MB/s of both brokers, two bars a load."""
    shown = [line for line in lines if line.figure.unit == "MB/s"]
    tops = [spread.median for line in shown for spread in (line.riacho, line.other) if spread is not None]
    scale = (PLOT_WIDTH - 60) / max([*tops, 1.0])
    row = 2 * ROW_HEIGHT
    parts = [
        _text(LABEL_WIDTH, 20, "Payload throughput, MB/s", "start", bold=True),
        _bar(LABEL_WIDTH, 30, 10, 10, RIACHO_COLOUR),
        _text(LABEL_WIDTH + 14, 39, RIACHO, "start"),
        _bar(LABEL_WIDTH + 80, 30, 10, 10, KAFKA_COLOUR),
        _text(LABEL_WIDTH + 94, 39, KAFKA, "start"),
    ]
    for number, line in enumerate(shown):
        y = TOP + row * number
        parts.append(_text(LABEL_WIDTH - 8, y + ROW_HEIGHT + 2, line.figure.name, "end"))
        for offset, spread, colour in ((3, line.riacho, RIACHO_COLOUR), (19, line.other, KAFKA_COLOUR)):
            if spread is not None:
                parts.append(_bar(LABEL_WIDTH, y + offset, spread.median * scale, 14, colour))
                end = LABEL_WIDTH + spread.median * scale + 4
                parts.append(_text(end, y + offset + 11, number_text(spread.median), "start"))
    return _svg(LABEL_WIDTH + PLOT_WIDTH, TOP + row * len(shown) + 12, parts)


def _svg(width: float, height: float, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    head += f'font-size="11" fill="{INK}">'
    return "\n".join([head, f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>', *parts, "</svg>", ""])


def _bar(x: float, y: float, width: float, height: float, colour: str) -> str:
    size = f'width="{max(width, 1):.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
