import asyncio

import numpy as np
import pytest

from optimand.core.errors import InputError, SetupError
from optimand.core.example import Example
from optimand.core.record import Judgement
from optimand.evaluation.judges import Exact, Function, Margin, PairFunction
from optimand.evaluation.judges.registry import judge_from


def half(output, example):
    return 0.5


def better(a, b, example):
    return float(len(a) > len(b))


async def slow_half(output, example):
    return 0.5, "so so"


def test_sync_and_async_functions(tools):
    assert tools.judged(Function(half), "x") == Judgement(0.5)
    assert tools.judged(Function(slow_half), "x") == Judgement(0.5, "so so")


@pytest.mark.parametrize("value", [1, 0, True, np.float64(0.25), np.int64(1), np.True_])
def test_numbers_are_accepted(tools, value):
    assert tools.judged(Function(lambda output, example: value), "x").value == float(value)


@pytest.mark.parametrize(
    "value",
    [None, float("nan"), float("inf"), -0.01, 1.01, "1", [1], (0.5, "a", "b"), 10**400],
    ids=lambda value: repr(value)[:12],
)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_any_other_answer_names_judge_and_example(tools, value, kind):
    async def later(output, example):
        return value

    judge = Function(later if kind == "async" else lambda output, example: value, name="mine")
    with pytest.raises(InputError, match=r"judge 'mine' answered .* for example 'e1'"):
        tools.judged(judge, "x")


def test_an_exception_names_judge_and_example(tools):
    async def broken(output, example):
        raise KeyError("k")

    for function in (lambda output, example: 1 / 0, broken):
        with pytest.raises(InputError, match="judge 'function' failed on example 'e1' with"):
            tools.judged(Function(function), "x")


def test_our_own_errors_pass(tools):
    def no_key(output, example):
        raise SetupError("no key")

    with pytest.raises(SetupError):
        tools.judged(Function(no_key), "x")


def test_failed_runs_are_not_put_to_the_function(tools):
    judge = Function(lambda output, example: 1 / 0)
    assert tools.judged(judge, "x", status="crash").value == 0
    assert tools.judged(judge, "x", status="unknown").value is None


def test_pairs(tools):
    judge = PairFunction(better)
    assert tools.compared(judge, "long", "a").value == 1
    assert tools.compared(judge, "a", "long").value == 0
    with pytest.raises(InputError, match="judge 'pair_function' answered 3"):
        tools.compared(PairFunction(lambda a, b, e: 3), "a", "b")


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [("ok", "ok", 0.5), ("crash", "ok", 0), ("ok", "invalid", 1), ("crash", "timeout", 0.5)],
)
def test_settled_pairs_are_not_put_to_the_function(tools, a, b, value):
    judge = PairFunction(lambda a, b, e: 1 / 0)
    first, second = tools.record("same", "ca", a), tools.record("same", "cb", b)
    assert tools.compared(judge, first, second).value == value


def test_an_unknown_side_is_no_verdict(tools):
    unknown = tools.record(None, "ca", "unknown", "service down")
    for pair in ((unknown, "x"), ("x", unknown)):
        judgement = tools.compared(PairFunction(better), *pair)
        assert (judgement.value, judgement.status) == (None, "unknown")
        assert judgement.feedback == "service down"


def test_margin_compares_scores(tools):
    score = Function(lambda output, example: float(output))
    judge = Margin(score, margin=0.1)
    assert tools.compared(judge, "0.9", "0.5").value == 1
    assert tools.compared(judge, "0.5", "0.9").value == 0
    assert tools.compared(judge, "0.6", "0.5").value == 0.5
    assert tools.compared(Margin(score), "0.51", "0.5").value == 1
    assert "ca scores 0.9; cb scores 0.5" in tools.compared(judge, "0.9", "0.5").feedback


def test_margin_of_an_async_score_and_of_a_failed_run(tools):
    async def value(output, example):
        return float(output)

    judge = Margin(Function(value))
    assert tools.compared(judge, "0.9", "0.5").value == 1
    assert tools.compared(judge, "0.9", tools.record("1", "cb", "crash")).value == 1
    assert tools.compared(judge, "0.9", tools.record("1", "cb", "unknown")).status == "unknown"


def test_a_margin_cancelled_before_its_scores_begin_warns_of_nothing(tools):
    async def main():
        judge = Margin(Function(slow_half))
        asked = judge.compare(Example("e", "q"), tools.record("a"), tools.record("b"), 0)
        call = asyncio.ensure_future(asked)
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())


def test_margin_needs_what_its_score_judge_needs(tools):
    with pytest.raises(InputError, match="no target"):
        Margin(Exact()).require(Example("e", "q"))
    with pytest.raises(InputError, match="margin is 1"):
        Margin(Exact(), margin=1)


def test_fingerprint_follows_the_source():
    one = Function(half).fingerprint()
    assert one == Function(half).fingerprint() != Function(slow_half).fingerprint()
    assert Margin(Exact()).fingerprint() != Margin(Exact(ignore_case=False)).fingerprint()


def test_functions_are_loaded_from_the_studys_folder(tools, tmp_path):
    ids = []
    for folder, body in (("one", "0.25"), ("two", "0.25"), ("three", "0.75")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scoring.py").write_text(
            f"import helper\n\ndef score(output, example):\n    return helper.VALUE\n# {body}\n"
        )
        (tmp_path / folder / "helper.py").write_text("VALUE = 0.25\n")
        judge = judge_from(
            {"type": "function", "function": "scoring:score"}, folder=tmp_path / folder
        )
        assert tools.judged(judge, "x").value == 0.25
        ids.append(judge.fingerprint())
    # The same file elsewhere is the same judge; an edit anywhere in the file makes another.
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scoring", "module:function"),
        ("../x:y", "module:function"),
        ("a:b.c", "module:function"),
        ("nothing_like_it:f", "importing module 'nothing_like_it' failed"),
        ("broken:f", "ZeroDivisionError"),
        ("fine:missing", "no function 'missing'"),
        ("fine:VALUE", "no function 'VALUE'"),
    ],
)
def test_functions_that_cannot_be_loaded_are_named(tmp_path, name, message):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "fine.py").write_text("VALUE = 1\n")
    with pytest.raises(InputError, match=message):
        judge_from({"type": "function", "function": name}, folder=tmp_path)
