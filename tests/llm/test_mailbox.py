"""A folder as a language model."""

import asyncio
import os

import pytest
from tests.llm.faketime import FakeTime

from optimand.core.errors import SetupError
from optimand.core.model import Message, Request
from optimand.core.record import Usage
from optimand.llm import Mailbox
from optimand.testing.clients import CLIENT_CLAUSES

CHOICES = ("yes", "no")


class Person(FakeTime):
    """Looks into the folder whenever the client sleeps, and writes the next of `answers`."""

    def __init__(self, folder, *answers, ending="answer.txt"):
        super().__init__()
        self.folder, self.answers, self.ending = folder, list(answers), ending

    async def sleep(self, seconds):
        await super().sleep(seconds)
        for letter in sorted(self.folder.glob("*.request.md")):
            name = letter.name.removesuffix(".request.md")
            answer = self.folder / f"{name}.{self.ending}"
            if self.answers and not os.path.lexists(answer):
                self.write(answer, self.answers.pop(0), letter.read_text())

    def write(self, path, answer, letter):
        if callable(answer):
            answer = answer(letter)
        path.write_bytes(answer if isinstance(answer, bytes) else answer.encode())


def mailbox(folder, person=None, **settings):
    person = person or FakeTime()
    return Mailbox(folder, sleep=person.sleep, clock=person.clock, **settings)


def ask(client, text="Is water wet?", **settings):
    return asyncio.run(client.complete(Request((Message("user", text),), **settings)))


def names(folder):
    """The endings of the files' names."""
    return sorted(path.name.partition(".")[2] for path in folder.iterdir())


def fitting(letter):
    return '{"grade": 3}' if "grade" in letter else "yes" if "yes" in letter else "water"


@pytest.mark.parametrize("clause", CLIENT_CLAUSES, ids=lambda clause: clause.__name__)
def test_contract(tmp_path, clause):
    clause(lambda: mailbox(tmp_path, Person(tmp_path, *[fitting] * 40)))


@pytest.mark.parametrize("ending", ["answer.txt", "answer.md"])
def test_a_letter_and_its_answer(tmp_path, ending):
    folder = tmp_path / "box"
    folder.mkdir()
    reply = ask(mailbox(folder, Person(folder, " water\n", ending=ending)), temperature=0.5, seed=3)
    assert (reply.text, reply.status) == ("water", "ok")
    assert reply.usage == Usage(1, unpriced=1)
    assert names(folder) == [ending, "request.md"]
    letter = next(folder.glob("*.request.md")).read_text()
    assert "## user\n\nIs water wet?" in letter
    assert "- temperature: 0.5\n- seed: 3\n" in letter
    assert letter.startswith("Write the reply, and nothing else, to ")


def test_an_answer_that_is_there_is_used_after_a_restart(tmp_path):
    late = mailbox(tmp_path, timeout=5.0)
    assert ask(late).status == "unknown"
    (letter,) = tmp_path.iterdir()
    written = letter.stat().st_mtime_ns
    letter.with_name(letter.name.replace("request.md", "answer.txt")).write_text("water")
    for _ in range(2):
        assert ask(mailbox(tmp_path)).text == "water"
    assert letter.stat().st_mtime_ns == written  # asked once


def test_other_questions_are_other_letters(tmp_path):
    person = Person(tmp_path, "one", "two", "three")
    client = mailbox(tmp_path, person)
    texts = [ask(client, "?").text, ask(client, "??").text, ask(client, "?", seed=1).text]
    assert texts == ["one", "two", "three"]


def test_no_answer_in_time_is_unknown(tmp_path):
    time = FakeTime()
    reply = ask(mailbox(tmp_path, time, poll=2.0, timeout=7.0))
    assert (reply.status, reply.usage.calls) == ("unknown", 0)
    assert "within 8 s" in reply.error
    assert time.slept == [2.0] * 4


def test_an_answer_that_still_grows_is_waited_for(tmp_path):
    class Slow(FakeTime):
        async def sleep(self, seconds):
            await super().sleep(seconds)
            (letter,) = tmp_path.glob("*.request.md")
            answer = letter.with_name(letter.name.replace("request.md", "answer.txt"))
            if len(self.slept) <= 6:
                answer.write_text("water"[: len(self.slept) - 1])

    assert ask(mailbox(tmp_path, Slow())).text == "water"


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("maybe", "it is none of yes, no"),
        (b"\xff\xfe", "not UTF-8"),
        (b"y" * 1_000_001, "longer than 1000000 bytes"),
    ],
)
def test_a_bad_answer_is_moved_aside_with_the_reason(tmp_path, bad, problem):
    reply = ask(mailbox(tmp_path, Person(tmp_path, bad, "no")), choices=CHOICES)
    assert (reply.status, reply.parsed, reply.usage.calls) == ("ok", "no", 2)
    assert names(tmp_path) == ["answer.txt", "problem.txt", "rejected", "request.md"]
    assert problem in next(tmp_path.glob("*.problem.txt")).read_text()


def test_the_second_bad_answer_is_invalid_also_after_a_restart(tmp_path):
    for person in (Person(tmp_path, "maybe", "perhaps"), FakeTime()):
        reply = ask(mailbox(tmp_path, person), choices=CHOICES)
        assert (reply.status, reply.text, reply.usage.calls) == ("invalid", "perhaps", 2)
        assert "none of yes, no" in reply.error


def test_a_link_is_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("not for the model")
    folder = tmp_path / "box"
    folder.mkdir()

    class Tricky(Person):
        def write(self, path, answer, letter):
            if answer == "link":
                path.symlink_to(secret)
            else:
                super().write(path, answer, letter)

    reply = ask(mailbox(folder, Tricky(folder, "link", "water")))
    assert reply.text == "water"
    assert secret.read_text() == "not for the model"


def test_what_a_request_says_never_makes_a_path(tmp_path):
    folder = tmp_path / "box"
    text = "../../escape\x00 {0} %s ~ /etc/passwd"
    assert ask(mailbox(folder, timeout=1.0), text).status == "unknown"
    assert [path.name for path in tmp_path.iterdir()] == ["box"]
    (letter,) = folder.iterdir()
    assert letter.name.removesuffix(".request.md").isalnum()
    assert text in letter.read_text()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match="cannot be written"):
        ask(mailbox(tmp_path / "file"))
