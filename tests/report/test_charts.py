import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.studies import Page

from optimand.report.charts.evidence import evidence_chart, frame_of
from optimand.report.charts.plot import Dot, plot
from optimand.report.charts.ranking import Row, axis, scale_of, strip
from optimand.report.charts.spend import spend_chart
from optimand.report.charts.svg import ticks

finite = st.floats(-1e6, 1e6)


@given(finite, finite, st.integers(2, 9))
def test_ticks_are_round_even_and_inside(one, other, most):
    low, high = min(one, other), max(one, other)
    found = ticks(low, high, most)
    span = max(high - low, 1e-12)
    assert len(found) <= most
    assert all(low - 1e-6 * span - 1e-9 <= t <= high + 1e-6 * span + 1e-9 for t in found)
    steps = [b - a for a, b in pairwise(found)]
    assert all(step == pytest.approx(steps[0], rel=1e-5, abs=1e-9) for step in steps)


def test_ticks_of_the_unit_interval():
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0.42, 0.83) == [0.5, 0.6, 0.7, 0.8]


unit = st.floats(0, 1)


@given(st.lists(st.tuples(unit, unit, unit), min_size=1, max_size=6), st.sampled_from([None, 0.5]))
def test_every_mark_of_a_ranking_is_on_the_scale(values, reference):
    rows = [Row("x", sorted(v)[1], min(v), max(v), "in", "0.5") for v in values]
    scale = scale_of(rows, reference)
    for number, row in enumerate(rows, 1):
        svg = strip(number, row, scale)
        places = [float(p) for p in re.findall(r'(?:x1|x2|cx)="([-0-9.]+)%"', svg)]
        assert all(-0.01 <= p <= 100.01 for p in places)
        Page(svg)
    Page(axis(scale))


@given(
    st.lists(st.floats(-50, 120) | st.just(math.inf), min_size=1, max_size=300),
    st.sampled_from([None, 3.0, 0.1]),
)
def test_evidence_stays_in_its_frame(values, stop):
    at = [float(i + 1) for i in range(len(values))]
    frame = frame_of(at, [values], stop)
    svg = evidence_chart(1, "x", at, values, frame)
    points = re.search('points="([^"]*)"', svg)[1].split()
    assert len(points) <= 170
    for point in points:
        x, y = map(float, point.split(","))
        assert -0.01 <= x <= 100.01
        assert 1.0 <= y <= 99.0  # a line at the edge has room for its whole width
    assert points[-1].startswith("100.00,")
    assert ('class="stop"' in svg) == (stop is not None)


def test_the_longest_bar_fills_the_width():
    svg = spend_chart([("used", 50.0, "used"), ("equal", 200.0, "equal")], "rollouts")
    assert re.findall(r'width="([0-9.]+)%" height="8"', svg) == ["25.00", "100.00"]
    assert "Rollouts used" in Page(svg).text


def test_evidence_below_zero_is_drawn_as_far_as_there_is_room():
    frame = frame_of([1.0, 2.0], [[0.0, -3.6]], 3.0)
    assert (frame.low, frame.cut) == (-3.6, False)
    frame = frame_of([1.0, 2.0], [[0.0, -36.0]], 3.0)
    assert (frame.low, frame.cut) == (-4.5, True)
    assert frame_of([1.0], [[math.inf]], None).high > 0
    assert "It ends in certainty." in evidence_chart(1, "x", [1.0], [math.inf], frame)


@pytest.mark.parametrize("most", [1, 2, 3, 7, 40])
def test_a_scale_of_counts_has_whole_marks_each_once(most):
    dots = [Dot(float(x), 0.5, "") for x in range(most + 1)]
    drawn = str(plot("p-chart", "t", "d", dots, number="{:,.0f}", whole=True))
    marks = re.findall(r'<text[^>]*y="\d+"[^>]*>([\d,]+)</text>', drawn)
    assert len(marks) == len(set(marks)) >= 2
    assert {int(mark) for mark in marks} <= set(range(most + 1))
