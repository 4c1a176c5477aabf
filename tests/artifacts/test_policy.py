import json

import pytest

from optimand.artifacts.policy import Policy
from optimand.core.artifact import Artifact
from optimand.core.errors import InputError

FULL = Policy(
    "small",
    prompt="Q: {q}",
    system="Be {mood}.",
    turns=(("1+1?", "2"),),
    temperature=1,
    top_p=0.5,
    max_tokens=10,
    stop="\n",
    parser={"type": "number", "which": "first"},
)


def test_artifact_is_plain_json_and_comes_back():
    parts = FULL.artifact().parts
    assert json.loads(json.dumps(parts)) == parts
    assert Policy.from_artifact(FULL.artifact()) == FULL
    assert Policy.from_artifact(Artifact(json.loads(json.dumps(parts)))) == FULL


def test_equal_settings_are_equal_artifacts():
    one = Policy("m", temperature=1, parser="text").artifact().id
    assert one == Policy("m", temperature=1.0, parser={"type": "text"}).artifact().id
    assert one != Policy("m", temperature=0.9).artifact().id
    assert Policy("m").artifact().parts["settings"] == {}


def test_every_part_changes_the_identity():
    base = Policy("m").artifact().id
    changed = [
        Policy("n"),
        Policy("m", prompt="x {input}"),
        Policy("m", system="s"),
        Policy("m", turns=(("a", "b"),)),
        Policy("m", temperature=0),
        Policy("m", top_p=1),
        Policy("m", max_tokens=1),
        Policy("m", stop=("x",)),
        Policy("m", parser="number"),
    ]
    assert len({base, *(policy.artifact().id for policy in changed)}) == 10


def test_messages_fill_system_and_prompt_but_not_turns():
    chat = FULL.messages({"q": "2+2?", "mood": "kind"})
    assert [(m.role, m.content) for m in chat] == [
        ("system", "Be kind."),
        ("user", "1+1?"),
        ("assistant", "2"),
        ("user", "Q: 2+2?"),
    ]
    assert Policy("m", turns=(("{x}", "{y}"),)).messages("z")[0].content == "{x}"


def test_request_carries_the_settings():
    request = FULL.request({"q": "", "mood": ""}, seed=7)
    assert (request.temperature, request.top_p, request.max_tokens) == (1.0, 0.5, 10)
    assert (request.stop, request.seed) == (("\n",), 7)


def test_an_empty_system_prompt_is_not_sent():
    assert [m.role for m in Policy("m", system=" ").messages("x")] == ["user"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"prompt": "x"}, "no part 'model'"),
        ({"model": "m"}, "no part 'prompt'"),
        ({"model": "m", "prompt": 3}, "'prompt' of a policy must be text"),
        ({"model": "m", "prompt": "x", "tone": 1}, "unknown part 'tone'"),
        ({"model": "m", "prompt": "x", "settings": {"heat": 1}}, "unknown part 'heat'"),
        ({"model": "m", "prompt": "x", "settings": 3}, "must be mappings"),
        ({"model": "m", "prompt": "x", "turns": [["a"]]}, "turn 1"),
        ({"model": "m", "prompt": "x", "turns": "ab"}, "'turns'"),
    ],
)
def test_broken_artifacts_are_refused(parts, message):
    with pytest.raises(InputError, match=message):
        Policy.from_artifact(Artifact(parts))
