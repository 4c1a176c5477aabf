"""A function that cannot be called as it will be is refused before anything is run."""

import pytest

from optimand import DuelTask, FunctionTask
from optimand.core.errors import InputError
from optimand.evaluation.judges import Function, PairFunction
from optimand.llm import Scripted


@pytest.mark.parametrize(
    ("make", "count", "names"),
    [
        (FunctionTask, 3, "value, example, seed"),
        (DuelTask, 4, "a, b, example, seed"),
        (Function, 2, "output, example"),
        (PairFunction, 3, "output_a, output_b, example"),
        (lambda function: Scripted(function, name="s"), 1, "request"),
    ],
)
def test_a_wrong_signature(make, count, names):
    for wrong in (lambda: 1, lambda a, b, c, d, e: 1, lambda *, value: 1):
        with pytest.raises(InputError, match=f"called with {count} arguments?: {names}"):
            make(wrong)


class Callable:
    def __call__(self, *arguments):
        return 1.0


def test_what_can_be_called_so_is_taken():
    for right in (lambda a, b, c, d=0, **more: 1, Callable(), lambda *given: 1, max):
        FunctionTask(right)
