"""A client that is a function."""

import asyncio

import pytest

from optimand.core.errors import InputError
from optimand.core.model import Message, Reply, Request
from optimand.core.record import Usage
from optimand.llm import Scripted
from optimand.testing.clients import CLIENT_CLAUSES

SHORT = Request((Message("user", "Is water wet?"),))


def answers(request):
    return "yes" if request.choices else '{"grade": 3}' if request.schema else "water"


async def answers_later(request):
    await asyncio.sleep(0)
    return answers(request)


def complete(client, request=SHORT):
    return asyncio.run(client.complete(request))


@pytest.mark.parametrize("clause", CLIENT_CLAUSES, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("function", [answers, answers_later])
def test_contract(function, clause):
    clause(lambda: Scripted(function))


def test_a_text_is_a_free_call():
    assert complete(Scripted(answers)) == Reply("water", usage=Usage(calls=1))


def test_a_reply_is_passed_on():
    down = Reply("", status="unknown", error="503", usage=Usage(2, unpriced=1))
    assert complete(Scripted(lambda request: down)) == down


def test_a_form_is_parsed_and_repaired_once():
    texts = iter(["well", "A", "never"])
    client = Scripted(lambda request: next(texts))
    reply = complete(client, Request(SHORT.messages, choices=("A", "B")))
    assert (reply.parsed, reply.usage.calls) == ("A", 2)


FAULTS = [KeyError("k"), AssertionError("no"), MemoryError(), RecursionError(), StopIteration()]
FAULTS += [GeneratorExit(), SystemExit(1)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("later", [False, True])
def test_what_the_script_raises_names_the_client(fault, later):
    def broken(request):
        raise fault

    async def broken_later(request):
        await asyncio.sleep(0)
        raise fault

    kind = "coroutine" if later and isinstance(fault, StopIteration) else type(fault).__name__
    with pytest.raises(InputError, match=f"the function of client 'mine' failed with .*{kind}"):
        complete(Scripted(broken_later if later else broken, name="mine"))


def test_the_name_changes_with_the_function():
    assert Scripted(answers).name == Scripted(answers).name != Scripted(answers_later).name
    assert Scripted(answers, name="mine").name == "mine"
