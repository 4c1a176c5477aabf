"""A task whose every execution crashes ends the run, with the reason."""

import pytest

import optimand
from optimand import Budget, FunctionTask
from optimand.core.errors import InputError


def test_a_fault_in_the_users_function_is_said():
    def broken(value, example, seed):
        raise RuntimeError("boom")

    with pytest.raises(InputError, match=r"100 executions in a row crashed, the last with: .*boom"):
        optimand.pick(list("abc"), FunctionTask(broken))


def test_one_candidate_that_crashes_is_no_fault_of_the_task():
    def scores(value, example, seed):
        if value == "b":
            raise RuntimeError("boom")
        return 0.9

    result = optimand.pick(["a", "b"], FunctionTask(scores), budget=Budget(rollouts=200))
    assert result.best.name == "a"
    assert result.decided
