"""The embedded model: repeatable, quick, and clear about what is missing."""

import asyncio
import os

import pytest

from optimand.core.errors import InputError, SetupError
from optimand.core.model import Message, Request
from optimand.llm import Embedded, connect, embedded, models
from optimand.testing.clients import CLIENT_CLAUSES


def ask(text, **options):
    request = Request((Message("user", text),), max_tokens=8, **options)
    return asyncio.run(connect("embedded").complete(request))


@pytest.fixture(scope="module")
def model():
    try:
        return models.locate()
    except SetupError:
        pytest.skip("the embedded model is not there: run `optimand models pull`")


@pytest.mark.embedded
@pytest.mark.usefixtures("model")
def test_same_seed_same_reply():
    first = ask("Name a fruit.", temperature=1.0, seed=3)
    ask("Say something else.", temperature=1.0, seed=4)
    again = ask("Name a fruit.", temperature=1.0, seed=3)
    assert first.text == again.text
    assert first.status == "ok"
    assert first.usage.calls == 1
    assert 0 < first.usage.output_tokens <= 8


@pytest.mark.embedded
@pytest.mark.usefixtures("model")
def test_choices_are_kept():
    assert ask("Is water wet?", choices=("yes", "no"), seed=1).parsed in ("yes", "no")


@pytest.mark.embedded
@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "clause",
    # The first four ask least: this model shares the cores with everything else.
    CLIENT_CLAUSES[:4],
    ids=lambda clause: clause.__name__,
)
def test_contract(clause):
    clause(Embedded)


@pytest.mark.embedded
@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("text", "form", "said"),
    [("word " * 3000, {}, "exceeds"), ("?", {"schema": {"type": "nonsense"}}, "nonsense")],
)
def test_what_the_model_cannot_take_is_invalid(text, form, said):
    reply = ask(text, **form)
    assert (reply.status, reply.usage.calls) == ("invalid", 0)
    assert said in reply.error


def test_a_missing_model_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("OPTIMAND_CACHE", str(tmp_path))
    with pytest.raises(SetupError, match="optimand models pull"):
        models.locate()


def test_an_unknown_client_is_named():
    with pytest.raises(InputError, match="Did you mean 'embedded'"):
        connect("embeded")


def test_threads_are_what_is_idle_and_at_least_one(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    for others, threads in ((0.0, cores), (cores - 1.0, 1), (99.0, 1)):
        monkeypatch.setattr(embedded, "_others", lambda busy=others: busy)
        assert embedded._idle_cores() == threads
    monkeypatch.undo()
    assert embedded._others() >= 0.0


@pytest.mark.parametrize(
    ("worked", "seconds", "threads", "own", "kept"),
    [
        (0.3, 5.0, 2, "", False),  # two threads that wait for one another
        (9.0, 5.0, 2, "", True),
        (0.1, 0.3, 2, "", True),  # too short to tell
        (0.3, 5.0, 1, "", True),  # one alone only waits for its core
        (0.3, 5.0, 2, "2", True),  # as the user wished
    ],
)
def test_threads_that_get_nothing_done_are_replaced_by_one(
    monkeypatch, worked, seconds, threads, own, kept
):
    monkeypatch.setattr(embedded, "locate", lambda: "model")
    monkeypatch.setattr(embedded, "_SERVERS", {"model": embedded._Loaded(None, threads)})
    monkeypatch.setattr(embedded, "_CROWDED", set())
    monkeypatch.setenv("OPTIMAND_THREADS", own)
    embedded._reconsider(worked, seconds)
    assert ("model" in embedded._SERVERS) == kept == ("model" not in embedded._CROWDED)


@pytest.mark.embedded
def test_a_reply_is_the_same_after_loading_with_one_thread(model, monkeypatch):
    monkeypatch.delenv("OPTIMAND_THREADS", raising=False)
    monkeypatch.setattr(embedded, "_SERVERS", {})
    monkeypatch.setattr(embedded, "_CROWDED", set())
    monkeypatch.setattr(embedded, "_idle_cores", lambda: 2)
    monkeypatch.setattr(embedded, "_reconsider", lambda worked, seconds: None)
    first = ask("Name a fruit.", temperature=1.0, seed=3)
    monkeypatch.undo()
    monkeypatch.setattr(embedded, "_CROWDED", {str(model)})
    monkeypatch.setattr(embedded, "_SERVERS", {})
    again = ask("Name a fruit.", temperature=1.0, seed=3)
    assert embedded._SERVERS[str(model)].threads == 1
    assert (first.text, first.usage) == (again.text, again.usage)
