import asyncio

import pytest

from optimand.core.example import Example
from optimand.core.model import Reply
from optimand.core.record import Record, Usage


class FakeClient:
    """Answers with `answer(request, number of the call)`: a Reply, or what was parsed."""

    def __init__(self, answer, name="fake"):
        self.answer = answer
        self.name = name
        self.width = 4
        self.requests = []

    async def complete(self, request):
        self.requests.append(request)
        number = len(self.requests)
        await asyncio.sleep(0)
        found = self.answer(request, number)
        if isinstance(found, Reply):
            return found
        return Reply(str(found), found, Usage(calls=1, usd=0.01))

    async def close(self):
        pass


def slots(request):
    """The two answers as the judge's prompt shows them, first and second."""
    text = request.messages[-1].content
    return [text.split(f"<<answer {s} ")[1].split(">>\n", 1)[1].split("\n<<")[0] for s in "AB"]


def longer(request, number):
    first, second = slots(request)
    return "tie" if len(first) == len(second) else "A" if len(first) > len(second) else "B"


EXAMPLE = Example("e1", {"question": "Capital of France?"}, "Paris")


def record(output, candidate="a", status="ok", feedback=""):
    return Record(candidate, "e1", output=output, status=status, feedback=feedback)


def judged(judge, output, target="Paris", status="ok"):
    found = judge.score(Example("e1", "q", target), record(output, status=status), 0)
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


def compared(judge, a, b, seed=0, example=EXAMPLE):
    a, b = (x if isinstance(x, Record) else record(x, n) for x, n in ((a, "ca"), (b, "cb")))
    found = judge.compare(example, a, b, seed)
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


@pytest.fixture
def tools():
    """Everything above, by name."""

    class Tools:
        pass

    for value in (FakeClient, slots, longer, record, judged, compared):
        setattr(Tools, value.__name__, staticmethod(value))
    Tools.example = EXAMPLE
    return Tools
