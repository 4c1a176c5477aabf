"""Strategies by name: what is made, and what is refused with a way out."""

import numpy as np
import pytest

from optimand.core.errors import InputError
from optimand.statistics.glr import Glr
from optimand.statistics.tracking import Tracking
from optimand.strategies.pick.specs import strategy_from

NAMES = ["a", "b"]


def make(given, pairs=True, **options):
    return strategy_from(given, NAMES, pairs=pairs, delta=0.05, **options)


def test_the_default_follows_the_judge():
    assert make(None).name == "duel"
    assert make(None, pairs=False).name == "race"
    assert make(None, pairs=False, indifference=0.1).indifference == 0.1
    assert make("duel", indifference=0.1).options.indifference == 0.1


def test_llm_po_is_tracking_and_a_likelihood_ratio():
    got = make({"type": "llm-po", "space": "bradley-terry", "threshold": "heuristic"})
    assert got.name == "llm-po"  # a study of its own, not the same duel resumed by another rule
    assert got.options.sampler == Tracking("C")
    assert got.options.stopper == Glr("heuristic")
    assert got.options.space == "bradley-terry"


def test_features_are_looked_up_by_name():
    got = make({"space": "linear", "features": {"b": [1, 2], "a": [3, 4.5]}})
    assert np.array_equal(got.options.features, [[3.0, 4.5], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("given", "pairs", "message"),
    [
        (
            "duels",
            True,
            "no strategy 'duels'; there is race, halving, duel, llm-po. Did you mean 'duel'?",
        ),
        ("race", True, "'race' does not fit this judge; use 'duel' or 'llm-po'"),
        ("llm-po", False, "does not fit this judge; use 'race'"),
        ({"type": "duel", "spaces": 1}, True, "no option 'spaces'. It has: space, features"),
        ({"space": "flat"}, True, "space is 'flat'; use one of"),
        ({"space": "linear"}, True, "'features' go with space: linear"),
        ({"features": {}}, True, "'features' go with space: linear"),
        ({"space": "linear", "features": {"a": [1]}}, True, "no features for 'b'"),
        ({"space": "linear", "features": {"a": [1], "b": [1, 2]}}, True, "same number of finite"),
        ({"space": "linear", "features": {"a": ["x"], "b": [1]}}, True, "same number of finite"),
        ({"type": 3}, True, "no strategy 3"),
    ],
)
def test_what_does_not_fit_is_refused(given, pairs, message):
    with pytest.raises(InputError, match=message.replace(".", r"\.").replace("?", r"\?")):
        make(given, pairs)


def test_llm_po_knows_no_indifference():
    with pytest.raises(InputError, match="use 'duel'"):
        make("llm-po", indifference=0.1)


@pytest.mark.parametrize("options", [{"check": True}, {"check": "x"}, {"check": [1]}])
def test_values_of_a_duel_that_cannot_be_meant(options):
    with pytest.raises(InputError, match="strategy 'duel': check is"):
        make({"type": "duel", **options})
