"""Calls are recorded, and answered from the record."""

import asyncio
import json

import pytest

from optimand.core.errors import InputError, SetupError, StorageError
from optimand.core.model import Message, Reply, Request
from optimand.core.record import Usage
from optimand.llm import Recorder, Replay, Scripted
from optimand.testing.clients import CLIENT_CLAUSES

USAGE = Usage(1, 7, 2, 0.25)


def question(text="Is water wet?", **settings):
    return Request((Message("user", text),), **settings)


def answers(request):
    form = '{"choice": "yes"}' if request.choices else '{"grade": 3}' if request.schema else "water"
    return Reply(form, usage=USAGE, seconds=0.5)


def asked(client, *requests):
    async def work():
        return [await client.complete(request) for request in requests]

    return asyncio.run(work())


def record(path, *requests, answer=answers):
    return asked(Recorder(Scripted(answer, name="it"), path), *requests)


@pytest.mark.parametrize("clause", CLIENT_CLAUSES, ids=lambda clause: clause.__name__)
def test_contract(tmp_path, clause):
    path = tmp_path / "calls.jsonl"
    clause(lambda: Recorder(Scripted(answers), path))
    path.touch()  # one clause asks nothing
    clause(lambda: Replay(path))


def test_replies_come_back_as_they_were(tmp_path):
    path = tmp_path / "calls.jsonl"
    requests = [question(), question(seed=2, stop=("x",)), question(choices=("yes", "no"))]
    assert asked(Replay(path_of(path, requests)), *requests) == record(tmp_path / "2", *requests)


def path_of(path, requests):
    record(path, *requests)
    return path


def test_the_same_request_gets_its_replies_in_turn(tmp_path):
    texts = iter(["one", "two"])
    record(tmp_path / "c", question(), question(), answer=lambda request: next(texts))
    client = Replay(tmp_path / "c")
    assert [reply.text for reply in asked(client, question(), question())] == ["one", "two"]
    with pytest.raises(SetupError, match="recorded 2 times and is asked once more"):
        asked(client, question())


def test_a_missing_call_shows_the_nearest(tmp_path):
    record(tmp_path / "c", question("Is fire hot?", seed=1), question("Name a fruit.", seed=1))
    with pytest.raises(SetupError, match="was not recorded") as caught:
        asked(Replay(tmp_path / "c"), question("Name a fruit.", seed=2))
    lines = str(caught.value).splitlines()
    assert {"-seed: 1", "+seed: 2", " user: Name a fruit."} <= set(lines)


def test_a_difference_late_in_a_long_request_is_shown(tmp_path):
    long = "word\n" * 2000
    record(tmp_path / "c", question(long + "old"))
    with pytest.raises(SetupError) as caught:
        asked(Replay(tmp_path / "c"), question(long + "new"))
    assert {"-old", "+new"} <= set(str(caught.value).splitlines())
    assert len(str(caught.value)) < 1000


def test_no_record_and_no_file(tmp_path):
    (tmp_path / "c").touch()
    with pytest.raises(SetupError, match="no recorded calls"):
        asked(Replay(tmp_path / "c"), question())
    with pytest.raises(InputError, match=r"nothing\.jsonl: cannot be read"):
        Replay(tmp_path / "nothing.jsonl")


def test_a_failed_service_is_not_recorded(tmp_path):
    down = Reply("", status="unknown", error="503")
    record(tmp_path / "c", question(), answer=lambda request: down)
    assert not (tmp_path / "c").exists()
    bad = Reply("", status="invalid", error="refused")
    record(tmp_path / "c", question(), answer=lambda request: bad)
    assert asked(Replay(tmp_path / "c"), question()) == [bad]


def test_half_a_line_spoils_no_other(tmp_path):
    record(tmp_path / "c", question("one"))
    with (tmp_path / "c").open("a") as file:
        file.write('{"client": "it", "requ')
    record(tmp_path / "c", question("two"))
    client = Replay(tmp_path / "c")
    assert [r.status for r in asked(client, question("one"), question("two"))] == ["ok", "ok"]
    with pytest.raises(SetupError, match="1 lines of it cannot be read"):
        asked(client, question("three"))


def test_each_line_is_json_of_its_own(tmp_path):
    record(tmp_path / "c", question("a\nb\u2028c"), question("ü"))
    calls = [json.loads(line) for line in (tmp_path / "c").read_text().splitlines()]
    assert [call["request"]["messages"][0]["content"] for call in calls] == ["a\nb\u2028c", "ü"]
    assert {call["client"] for call in calls} == {"it"}


def test_the_name_tells_the_client_and_changes_with_the_file(tmp_path):
    record(tmp_path / "c", question("one"))
    first = Replay(tmp_path / "c").name
    record(tmp_path / "c", question("two"))
    assert first.startswith("replay:it#")
    assert Replay(tmp_path / "c").name != first


def test_a_recorder_stands_for_its_client(tmp_path):
    client = Scripted(answers, name="it", width=3)
    recorder = Recorder(client, tmp_path / "c")
    assert (recorder.name, recorder.width) == ("it", 3)


def test_what_cannot_be_recorded_is_an_error(tmp_path):
    with pytest.raises(StorageError, match="cannot be recorded"):
        record(tmp_path / "no such folder" / "c", question())


def test_many_at_once_are_recorded_whole(tmp_path):
    requests = [question(str(number) * 500) for number in range(20)]
    recorder = Recorder(Scripted(answers), tmp_path / "c")

    async def work():
        await asyncio.gather(*map(recorder.complete, requests))

    asyncio.run(work())
    assert len(asked(Replay(tmp_path / "c"), *requests)) == 20
