"""Recordings that were altered: file, line and what is wrong, and no reply that cannot be."""

import json

import pytest

from optimand.core.errors import InputError
from optimand.llm import Replay

GOOD = {
    "client": "it",
    "request": {"messages": [{"role": "user", "content": "Is water wet?"}]},
    "reply": {"text": "yes", "usage": [1, 2, 3, 0.5, 0]},
}


def reply(**changes):
    return GOOD | {"reply": GOOD["reply"] | changes}


def messages(*turns):
    return GOOD | {"request": {"messages": list(turns)}}


COSTS = [
    *([1, 1, 1, float("inf"), 0], [float("inf"), 1, 1, 1, 0], [1, 1, 1, float("nan"), 0]),
    *([-1, 0, 0, 0, 0], [0, 0, 0, -24, 0], [1, 2], "abcde", dict.fromkeys("abcde", 1), None),
]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *[(reply(usage=usage), "of its reply, 'usage' is") for usage in COSTS],
        *[(reply(text=text), "'text' is") for text in (5, None, ["x"])],
        *[(reply(status=status), "'status' is") for status in ("zzz", None, {})],
        (reply(status="unknown"), "never recorded"),
        (reply(seconds="x"), "'seconds' is 'x'"),
        (reply(finish=[1]), "'finish' is"),
        (reply(error=5), "'error' is 5"),
        (GOOD | {"reply": None}, "of its reply, it is None, not a mapping"),
        (GOOD | {"reply": {}}, "it has no 'text'"),
        (GOOD | {"client": ["a"]}, "'client' is"),
        (GOOD | {"request": None}, "'request' is None"),
        (GOOD | {"request": {}}, "of its request, it has no 'messages'"),
        (messages(5), "of its message, it is 5"),
        (messages({"role": 5, "content": None}), "of its message, 'role' is 5"),
        (messages({"role": "user"}), "it has no 'content'"),
        *[(call, "not a mapping") for call in (5, None, [], "text")],
        ({}, "it has no 'client'"),
    ],
)
def test_an_altered_line(tmp_path, call, words):
    path = tmp_path / "calls.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(call)}\n{json.dumps(GOOD)}\n")
    with pytest.raises(InputError, match=words) as caught:
        Replay(path)
    assert f"{path} line 3: not a recorded call: " in str(caught.value)
    assert "Record it again with Recorder, or remove the line." in str(caught.value)


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"a":' + b"9" * 5000 + b"}", b"\xff\xfe\x00", b'{"\xe9": 1}']
)
def test_a_line_that_no_recorder_began(tmp_path, line):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b"\n" + line + b"\n")
    with pytest.raises(InputError, match="line 2: not a recorded call"):
        Replay(path)


def test_empty_lines_and_line_ends_of_windows_are_fine(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b"\r\n" + json.dumps(GOOD).encode() + b"\r\n\r\n\0\0\0\n")
    assert Replay(path).name.startswith("replay:it#")
