"""A mailbox does not ask ahead of what is known, unless it is told to."""

import asyncio
from contextlib import suppress

import pytest

import optimand
from optimand.core.model import Message, Request
from optimand.evaluation.judges import Exact, Pairwise
from optimand.llm import Mailbox, Scripted

EXAMPLES = [{"q": f"question {n}", "target": "yes"} for n in range(60)]
POLICIES = [optimand.Policy("m", "{q}", system=name) for name in ("good", "poor")]


def requests(folder):
    return sorted(folder.glob("*.request.md"))


class Person:
    """Answers all that waits at each look, and counts how much that was."""

    def __init__(self, folder, reply):
        self.folder, self.reply, self.most, self.answered = folder, reply, 0, 0

    async def __call__(self, seconds):
        await asyncio.sleep(0)
        waiting = [
            letter
            for letter in requests(self.folder)
            if not letter.with_name(letter.name.replace("request.md", "answer.txt")).exists()
        ]
        self.most = max(self.most, len(waiting))
        for letter in waiting:
            answer = letter.with_name(letter.name.replace("request.md", "answer.txt"))
            answer.write_text(self.reply(letter.read_text()))
            self.answered += 1


def policy(letter):
    return "yes" if "good" in letter else "no"


@pytest.mark.parametrize("width", [1, 8])
def test_no_more_wait_than_the_width(tmp_path, width):
    person = Person(tmp_path, policy)
    box = Mailbox(tmp_path, width=width, sleep=person, poll=0.01)

    async def ask():
        letters = [Request((Message("user", f"good {n}"),)) for n in range(20)]
        return await asyncio.gather(*map(box.complete, letters))

    assert [reply.text for reply in asyncio.run(ask())] == ["yes"] * 20
    assert person.most == width


def test_every_answer_to_a_policy_is_used(tmp_path):
    person = Person(tmp_path, policy)
    box = Mailbox(tmp_path, sleep=person, poll=0.01)
    assert box.width == 1
    result = optimand.pick(POLICIES, optimand.TextTask(EXAMPLES, Exact(), {"m": box}))
    assert result.decided
    assert person.most == 1
    assert person.answered == result.spent["calls"] == len(requests(tmp_path))


def test_every_answer_to_a_judge_is_used_beside_a_wide_client(tmp_path):
    def better(letter):
        first = letter.split("<<answer A ")[-1].split(">>\n", 1)[1]
        return "A" if first.startswith("yes") else "B"

    person = Person(tmp_path, better)
    box = Mailbox(tmp_path, sleep=person, poll=0.01)
    wide = Scripted(lambda request: policy(request.messages[0].content), name="wide", width=16)
    task = optimand.TextTask(EXAMPLES, Pairwise(box, audit=0), {"m": wide})
    result = optimand.pick(POLICIES, task)
    assert result.decided
    assert person.most == 1
    # The next one may lie there already when the last answer decides.
    assert person.answered <= result.spent["comparisons"] + 1


def test_a_turn_that_is_given_up_goes_to_the_next(tmp_path):
    person = Person(tmp_path, policy)
    box = Mailbox(tmp_path, sleep=person, poll=0.01)

    async def ask():
        calls = [
            asyncio.ensure_future(box.complete(Request((Message("user", f"good {n}"),))))
            for n in range(3)
        ]
        await asyncio.sleep(0)
        calls[0].cancel()
        with suppress(asyncio.CancelledError):
            await calls[0]
        return [reply.text for reply in await asyncio.gather(*calls[1:])]

    assert asyncio.run(ask()) == ["yes", "yes"]
    assert asyncio.run(ask()) == ["yes", "yes"]  # and in another event loop
