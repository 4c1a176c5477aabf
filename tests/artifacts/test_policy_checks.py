import math

import pytest

from optimand.artifacts.policy import Policy
from optimand.artifacts.policy_checks import check_policies, require
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example

EXAMPLES = [Example("e1", {"q": "a", "hint": "b"}), Example("e2", {"q": "c"})]


def complaints(**policies):
    candidates = [policy.candidate(name) for name, policy in policies.items()]
    return [str(c) for c in check_policies(candidates, EXAMPLES)]


def test_sound_policies_have_no_complaint():
    assert check_policies([Policy("m").candidate("a")], [Example("1", "plain")]) == []


def test_missing_field_names_policy_field_and_example():
    found = complaints(short=Policy("m", "{q} {hint}"))
    assert found == ["error: policy 'short': prompt uses {hint}, but example 'e2' has only 'q'."]
    found = complaints(short=Policy("m", "{q} {hint}", system="{x}"))
    assert "system uses {x}, but example 'e1' (and 1 more)" in found[0]


def test_a_field_is_unused_only_if_no_policy_uses_it():
    assert complaints(a=Policy("m", "{q}")) == [
        "warning: no policy uses the input field 'hint'. Add {hint} to a prompt, or drop the field."
    ]
    assert not any(
        "warning" in c for c in complaints(a=Policy("m", "{q}"), b=Policy("m", "{hint}"))
    )


def test_a_policy_without_fields_is_warned_about():
    assert any(
        "uses no field" in c for c in complaints(a=Policy("m", "hello"), b=Policy("m", "{q}"))
    )


def test_duplicates():
    found = complaints(a=Policy("m", "{q}"), b=Policy("m", "{q}"))
    assert "policies 'a' and 'b' are the same in every part" in found[0]
    pool = [Policy("m", "{q}").candidate("a"), Policy("m", "{hint}").candidate("a")]
    assert "two policies are named 'a'" in str(check_policies(pool, EXAMPLES)[0])


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"prompt": " \n"}, "prompt is empty"),
        ({"prompt": "{a.b}"}, "not a field"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": 2.1}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": 1.5}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"stop": ("",)}, "stop"),
        ({"model": ""}, "model is empty"),
    ],
)
def test_bad_settings(settings, word):
    found = complaints(bad=Policy(**({"model": "m", "prompt": "{q}"} | settings)))
    assert any(c.startswith("error: policy 'bad'") and word in c for c in found)


@pytest.mark.parametrize(
    "settings", [{"temperature": 0}, {"temperature": 2}, {"top_p": 1}, {"max_tokens": 1}]
)
def test_settings_at_the_ends_of_their_ranges_are_fine(settings):
    assert not any("error" in c for c in complaints(good=Policy("m", "{q}", **settings)))


def test_an_artifact_that_is_no_policy_is_an_error():
    found = check_policies([Candidate(Artifact({"x": 1}), "odd")], EXAMPLES)
    assert (
        str(found[0])
        == "error: policy 'odd': the artifact has no part 'model'. A policy needs one."
    )


def test_require_raises_all_errors_and_no_warnings():
    found = check_policies([Policy("m", "{q} {x} {y}").candidate("a")], EXAMPLES)
    with pytest.raises(InputError) as error:
        require(found)
    assert str(error.value).count("\n") == 1
    require(check_policies([Policy("m", "{q}").candidate("a")], EXAMPLES))
