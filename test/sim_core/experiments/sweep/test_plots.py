"""Plots of results: where points are, and what the axes say."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from sim_core.experiments.sweep.plots import plot, scale_of


def test_numbers_keep_their_distances_and_others_their_order() -> None:
    assert scale_of([0, 1, 4]).places == [0.0, 0.25, 1.0]
    assert [label for _, label in scale_of([0, 10]).labels] == ["0", "5", "10"]
    assert scale_of(["a", "b", "a"]).places == [0.25, 0.75, 0.25]
    assert scale_of([[1, 2], [3, 4]]).labels == [(0.25, "[1, 2]"), (0.75, "[3, 4]")]
    assert scale_of([2.0, 2.0]).places == [0.5, 0.5]


def test_a_plot_is_a_picture_with_a_point_for_each_pair() -> None:
    figure = ElementTree.fromstring(plot("y < x", [0, 0, 1, 1], [1.0, 3.0, 5.0, 7.0]))
    svg = figure.find("svg")
    assert svg is not None and svg.attrib["aria-label"] == "y < x"
    points = svg.findall("path")[0]
    found = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", points.attrib["d"])]
    assert len(found) == 4 and found[0][0] == found[1][0] < found[2][0]
    heights = [y for _, y in found]
    assert heights == sorted(heights, reverse=True)  # y grows upwards
    assert heights[0] - heights[1] == pytest.approx(heights[2] - heights[3], abs=0.2)
    mean = svg.find("polyline")
    assert mean is not None
    first, last = (float(pair.split(",")[1]) for pair in mean.attrib["points"].split())
    assert first == pytest.approx((heights[0] + heights[1]) / 2, abs=0.1)
    assert last == pytest.approx((heights[2] + heights[3]) / 2, abs=0.1)
