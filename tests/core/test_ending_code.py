"""`sys.exit` in the user's code is a fault of it; a Ctrl-C there ends the run like any other."""

import asyncio
import sys

import pytest

import optimand
from optimand import Budget, DuelTask, FunctionTask, Policy, TextTask
from optimand.core.errors import InputError
from optimand.core.record import Judgement
from optimand.evaluation.judges import Exact, Function, Margin, PairFunction, Pairwise
from optimand.llm import Scripted

EXAMPLES = [{"q": str(n), "target": "x"} for n in range(60)]
POLICIES = [Policy("m", "{q}"), Policy("m", "{q}!")]


class Ends:
    """Calls `how` at the fifth call, and gives `value` at the others."""

    def __init__(self, how, value):
        self.how, self.value, self.calls = how, value, 0

    def __call__(self, *arguments):
        self.calls += 1
        if self.calls == 5:
            self.how()
        return self.value

    def later(self):
        async def call(*arguments):
            await asyncio.sleep(0)
            return self(*arguments)

        return call

    def fingerprint(self):
        return "ends"


class OwnJudge:
    name, kind = "own", "score"

    def __init__(self, function):
        self.function = function

    def fingerprint(self):
        return "own"

    def score(self, example, record, seed):
        return Judgement(self.function())


class OwnClient:
    name, width = "own", 3

    def __init__(self, function):
        self.function = function

    async def complete(self, request):
        await asyncio.sleep(0)
        return await Scripted(self.function, name="x").complete(request)

    async def close(self):
        pass


def leave():
    sys.exit(0)


def abandon():
    raise GeneratorExit


def press():
    raise KeyboardInterrupt


def texts(judge, width, answer=lambda request: request.messages[-1].content):
    return POLICIES, TextTask(EXAMPLES, judge, {"m": Scripted(answer, name="a", width=width)})


def asked(how, width):
    """Every place where a user's code may end the program: candidates and task."""
    plain = ["a", "b"]
    yield plain, FunctionTask(Ends(how, 0.5), width=width)
    yield plain, FunctionTask(Ends(how, 0.5).later(), width=width)
    yield plain, DuelTask(Ends(how, 0.5), width=width)
    yield plain, DuelTask(Ends(how, 0.5).later(), width=width)
    yield texts(Function(Ends(how, 0.5)), width)
    yield texts(Function(Ends(how, 0.5).later()), width)
    yield texts(PairFunction(Ends(how, 0.5)), width)
    yield texts(Margin(Function(Ends(how, 0.5).later())), width)
    yield texts(Exact(), width, Ends(how, "x"))
    yield texts(Exact(), width, Ends(how, "x").later())
    yield texts(Pairwise(Scripted(Ends(how, "A"), name="j"), order="both"), width)
    yield POLICIES, TextTask(EXAMPLES, Exact(), {"m": OwnClient(Ends(how, "x"))})
    yield texts(OwnJudge(Ends(how, 0.5)), width)


SHAPES = range(len(list(asked(leave, 1))))


@pytest.mark.parametrize("how", [leave, abandon])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_judge_or_client_that_exits_is_an_error(shape, width, how):
    candidates, task = list(asked(how, width))[shape]
    if shape < 2:  # a policy function of the user's own: that run of it crashed
        result = optimand.pick(candidates, task, budget=Budget(rollouts=40))
        assert result.reason == "budget"
    else:
        with pytest.raises(InputError, match=r"SystemExit|GeneratorExit"):
            optimand.pick(candidates, task, budget=Budget(rollouts=40))


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_interrupt_ends_the_run_and_the_same_call_goes_on(shape, width, tmp_path):
    candidates, task = list(asked(press, width))[shape]
    place = tmp_path / "runs.db"
    limit = Budget(rollouts=40, comparisons=20)
    first = optimand.pick(candidates, task, budget=limit, store=place)
    assert (first.decided, first.reason) == (False, "interrupted")
    assert optimand.pick(candidates, task, budget=limit, store=place).reason == "budget"


def test_the_exit_is_told_with_the_crash():
    def score(value, example, seed):
        sys.exit("the licence has expired")

    with pytest.raises(InputError, match="SystemExit: the licence has expired"):
        optimand.pick(["a", "b"], FunctionTask(score))


def test_a_module_that_exits_when_it_is_imported(tmp_path):
    from optimand.evaluation.judges.loading import load_function

    (tmp_path / "script.py").write_text("import sys\ndef f(): ...\nsys.exit(1)\n")
    with pytest.raises(InputError, match="importing module 'script' failed with SystemExit: 1"):
        load_function("script:f", tmp_path)
