"""A client that answers nonsense is named; nothing of it is judged, logged or charged."""

import asyncio
import math
from types import SimpleNamespace

import pytest

import optimand
from optimand.core.errors import InputError
from optimand.core.model import Message, Reply, Request
from optimand.core.record import Usage
from optimand.evaluation.judges import Exact, Rubric
from optimand.llm import Scripted

ODD = {
    "no text": (Reply(None), "'text' is None, it must be a text"),
    "a number": (Reply(5), "'text' is 5"),
    "bytes": (Reply(b"x"), "'text' is b'x'"),
    "a status": (Reply("x", status="fine"), "'status' is 'fine', it must be one of"),
    "no usage": (Reply("x", usage=None), "'usage' is None, it must be a Usage"),
    "negative tokens": (Reply("x", usage=Usage(1, -5)), "'input_tokens' is -5"),
    "tokens in words": (Reply("x", usage=Usage(1, 0, "9")), "'output_tokens' is '9'"),
    "endless cost": (Reply("x", usage=Usage(1, usd=math.inf)), "'usd' is inf"),
    "no time": (Reply("x", seconds=None), "'seconds' is None"),
    "nothing": (None, "answered None"),
    "a mapping": ({"text": "x"}, "answered {'text': 'x'}"),
}
POLICIES = [optimand.Policy("m", "{q}"), optimand.Policy("m", "{q}!")]
EXAMPLES = [{"q": "a", "target": "b"}]


class Own:
    """A client of the user's own, whose `complete` may as well be plain."""

    name, width = "own", 1

    def __init__(self, reply, plain=False):
        self.reply = reply
        self.complete = self.at_once if plain else self.later

    def at_once(self, request):
        return self.reply

    async def later(self, request):
        return self.reply

    async def close(self):
        pass


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("choices", [None, ("A", "B")])
def test_by_a_script(case, choices):
    reply, message = ODD[case]
    client = Scripted(lambda request: reply, name="mine")
    with pytest.raises(InputError) as found:
        asyncio.run(client.complete(Request((Message("user", "x"),), choices=choices)))
    assert message in str(found.value)
    assert str(found.value).startswith("the function of client 'mine' answered")


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("plain", [False, True], ids=["async", "plain"])
def test_by_a_client_of_a_policy(case, plain):
    reply, message = ODD[case]
    task = optimand.TextTask(EXAMPLES, Exact(), {"m": Own(reply, plain)})
    with pytest.raises(InputError) as found:
        optimand.pick(POLICIES, task)
    assert str(found.value).startswith("client 'own' answered")
    assert message in str(found.value)


@pytest.mark.parametrize("case", ODD)
def test_by_the_client_of_a_judge(case):
    reply, message = ODD[case]
    judge = Rubric(Own(reply), "Right?")
    task = optimand.TextTask(EXAMPLES, judge, {"m": Scripted(lambda request: "b", name="m")})
    with pytest.raises(InputError) as found:
        optimand.pick(POLICIES, task)
    assert message in str(found.value)


def test_a_client_may_be_any_object_with_the_methods_and_answer_at_once():
    made = SimpleNamespace(
        **{
            name: getattr(Own(Reply("b"), True), name)
            for name in ("name", "width", "complete", "close")
        }
    )
    task = optimand.TextTask(EXAMPLES, Exact(), {"m": made}, population="whole")
    assert optimand.pick(POLICIES, task).reason == "tied"
