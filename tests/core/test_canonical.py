"""What cannot be written as JSON is an InputError that says where."""

import numpy as np
import pytest

from optimand.core.errors import InputError
from optimand.core.keys import canonical


def ring():
    value = {"a": []}
    value["a"].append(value)
    return value


def deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


class Rude(dict):
    def items(self):
        raise ZeroDivisionError

    def keys(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([1, 2]), r"ndarray cannot be stored: write its \.tolist\(\)"),
        ({"a": [0, {"b": np.zeros((2, 2))}]}, r"at \['a'\]\[1\]\['b'\]: a value of type ndarray"),
        ({"a": {1: 2, "b": 3}}, r"at \['a'\]: a mapping whose keys are not all text"),
        ({(1, 2): 3}, "keys are not all text"),
        ({"a": object()}, r"at \['a'\]: a value of type object"),
        ([1, b"x"], r"at \[1\]: a value of type bytes"),
        (ring(), "too deep, or holding itself"),
        (deep(), "too deep, or holding itself"),
        ({"a": 10**5000}, r"\['a'\]"),
    ],
    ids=["array", "place", "mixed", "tuple key", "object", "bytes", "ring", "deep", "huge"],
)
def test_faults_are_input_errors_with_their_place(value, message):
    with pytest.raises(InputError, match=message):
        canonical(value)


def test_mixed_sets_are_ordered():
    assert canonical({1, "a", None}) == canonical({None, "a", 1}) == '["a",1,null]'
    assert canonical({3, 1, 2}) == "[1,2,3]"


def test_scalars_of_numpy_are_numbers():
    assert (
        canonical([np.float32(0.5), np.int64(3), np.bool_(True), np.array(2)]) == "[0.5,3,true,2]"
    )
