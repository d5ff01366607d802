"""Length plot: time to the first sound over the length of the text, on a scale of powers of two."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from studio.evaluations.report.report_words import ReportWords
from studio.reports.drawing import Bar, Caption, Drawing, Sign, Stroke, points_of, shortened
from studio.reports.palette import lane
from studio.reports.tracks import AXIS, EDGE, TITLE_POINTS, WIDTH, bounds_of, sign_of, steps_of, titled

__all__ = ["length_drawing"]

Point = tuple[int, float]  # characters, milliseconds
LEFT, HIGH = 58, 220  # of the field; how high it is
LEGEND_POINTS = 22
MOST_DOTS = 150  # of a system
N_PARTS = 5  # of the texts by their length, each of which has a median
LEAST_PART = 3  # sounds of a part at least


def length_drawing(points: Mapping[str, Sequence[Point]], labels: Mapping[str, str], words: ReportWords) -> Drawing:
    """points: system -> its sounds. labels: of all systems, whose order gives their colors."""
    title = words.say("report_plot_length", {})
    shown = [system for system in labels if points.get(system)]
    top = TITLE_POINTS + len(shown) * LEGEND_POINTS + 8
    across = bounds_of(n for some in points.values() for n, _ in some)
    times = [ms for some in points.values() for _, ms in some]
    least, most = math.floor(math.log2(max(min(times), 1.0))), math.ceil(math.log2(max(*times, 2.0)))
    most = max(most, least + 1)
    field = WIDTH - LEFT - EDGE

    def place(point: tuple[float, float]) -> tuple[float, float]:
        x = LEFT + field * (point[0] - across[0]) / (across[1] - across[0])
        return x, top + HIGH * (1 - (math.log2(max(point[1], 1.0)) - least) / (most - least))

    marks: list[Stroke | Bar | Sign | Caption] = [
        titled(title),
        Caption((EDGE, top + HIGH + 40), words.say("report_axis_length", {}), AXIS),
    ]
    told = []
    step = max(1, math.ceil((most - least) / 6))
    for power in range(least, most + 1, step):
        y = place((across[0], 2.0**power))[1]
        marks.append(Stroke((LEFT, y), (WIDTH - EDGE, y), "line"))
        marks.append(Caption((LEFT - 6, y + 4), words.figure("ttfp_ms", 2.0**power), AXIS, anchor="end", color="ink-soft"))
    for at in steps_of(across):
        figure = words.number(at)
        half = points_of(figure, AXIS) / 2
        x = min(place((at, 1.0))[0], WIDTH - half - 2)
        marks.append(Caption((x, top + HIGH + 20), figure, AXIS, anchor="middle", color="ink-soft"))
    for row, system in enumerate(shown):
        number = list(labels).index(system)
        color, medians = lane(number), _medians(points[system])
        y = TITLE_POINTS + row * LEGEND_POINTS
        marks += [Sign((EDGE + 6, y + 4), color, sign_of(number)), Caption((EDGE + 20, y + 9), shortened(labels[system], WIDTH - 40))]
        some = sorted(points[system])
        marks += [Sign(place(point), color, "dot") for point in some[:: math.ceil(len(some) / MOST_DOTS)]]
        places = [place(point) for point in medians]
        marks += [Stroke(one, other, color, 2, kind="median") for one, other in pairwise(places)]
        marks += [Sign(at, color, sign_of(number)) for at in places]
        parts = tuple(words.say("plot_length_part", {"n": round(n), "time": words.figure("ttfp_ms", ms)}) for n, ms in medians)
        told.append(words.say("plot_length", {"name": labels[system], "parts": parts}))
    return Drawing(WIDTH, top + HIGH + 50, title, " ".join(told), tuple(marks))


def _medians(points: Sequence[Point]) -> list[tuple[float, float]]:
    """(characters, milliseconds) in the middle of each part of the sounds, the shortest texts first."""
    some = sorted(points)
    n_parts = max(1, min(N_PARTS, len({n for n, _ in some}), len(some) // LEAST_PART))
    parts = [some[len(some) * part // n_parts : len(some) * (part + 1) // n_parts] for part in range(n_parts)]
    return [(median(n for n, _ in part), median(ms for _, ms in part)) for part in parts if part]
