"""The conformance suite finds clients that break the contract."""

import pytest

from optimand.core.model import Reply
from optimand.core.record import Usage
from optimand.llm import Scripted
from optimand.testing.clients import CLIENT_CLAUSES, check_client


def answers(request):
    return "yes" if request.choices else '{"grade": 3}' if request.schema else "water"


class Good(Scripted):
    def __init__(self):
        super().__init__(answers, name="good")


def with_reply(**fields):
    """A client whose every reply has these fields."""

    class Bad(Good):
        async def complete(self, request):
            return Reply(**({"text": "yes", "parsed": None} | fields))

    return Bad


class Nameless(Good):
    def __init__(self):
        super().__init__()
        self.name = ""


class Renamed(Good):
    count = 0

    def __init__(self):
        super().__init__()
        Renamed.count += 1
        self.name = str(self.count)


class Widthless(Good):
    def __init__(self):
        super().__init__()
        self.width = 0


class ClosedOnce(Good):
    closed = False

    async def close(self):
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


class Raises(Good):
    async def complete(self, request):
        raise ConnectionError("503")


def test_a_good_client_passes():
    check_client(Good)


@pytest.mark.parametrize(
    "bad",
    [
        Nameless,
        Renamed,
        Widthless,
        ClosedOnce,
        Raises,
        with_reply(status="unknown", error="503"),
        with_reply(status="lost", error="?"),
        with_reply(status="invalid"),
        with_reply(error="but ok"),
        with_reply(text=None),
        with_reply(seconds=-1.0),
        with_reply(usage=Usage(1, -1)),
        with_reply(usage=Usage(1, 1.5)),
        with_reply(usage=Usage(1, usd=float("nan"))),
        with_reply(usage=Usage(1, unpriced=2)),
        with_reply(parsed="maybe"),
        with_reply(parsed={"grade": "3"}),
    ],
)
def test_a_bad_client_does_not(bad):
    with pytest.raises((AssertionError, RuntimeError, ConnectionError)):
        check_client(bad)


@pytest.mark.parametrize("clause", CLIENT_CLAUSES, ids=lambda clause: clause.__name__)
def test_each_clause_can_be_broken(clause):
    bad = {
        "names_itself": Nameless,
        "keeps_to_choices": with_reply(parsed="maybe"),
        "keeps_to_a_schema": with_reply(parsed={"grade": "3"}),
        "replies_can_be_stored": with_reply(parsed={1: "a key that JSON turns into text"}),
    }
    with pytest.raises((AssertionError, ConnectionError)):
        clause(bad.get(clause.__name__, Raises))


def test_a_secret_in_the_name_is_found(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")

    class Loud(Good):
        def __repr__(self):
            return "Loud(key='sk-0123456789')"

    with pytest.raises(AssertionError, match="SOME_API_KEY") as caught:
        check_client(Loud)
    assert "0123456789" not in str(caught.value)
