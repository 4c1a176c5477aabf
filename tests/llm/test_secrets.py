"""A key that a service repeats, whole, escaped or in part, is taken out of what it says."""

import asyncio
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm import calls
from tests.llm.calls import ask_one
from tests.llm.endpoint import Endpoint

from optimand.core.errors import InputError, SetupError
from optimand.llm import OpenAIClient, connect
from optimand.llm.failures import error_text, tidy
from optimand.llm.secrets import hider

KEY = "sk-verysecretkey-0123456789abcdef"
ODD = 'sk-"quote\\back/slash&<>'
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60)


def client_of(endpoint, monkeypatch, key=KEY):
    monkeypatch.setenv("TEST_KEY", key)
    return calls.client_of(endpoint, key_env="TEST_KEY", attempts=1)


@pytest.mark.parametrize("key", [KEY, ODD])
@pytest.mark.parametrize("error", [True, False])
def test_every_form_of_a_key_is_found(key, error):
    once = json.dumps(key)
    for form in (key, once, json.dumps(once), html.escape(key), quote(key), key.upper()):
        assert hider(key, error=error)(f"it is {form}!").strip('"\\') in (
            "it is [key]!",
            'it is "[key]"!',
            'it is "\\"[key]\\""!',
        )


@given(KEYS, st.text(max_size=30), st.text(max_size=30))
def test_no_key_remains(key, before, after):
    for error in (True, False):
        hide = hider(key, error=error)
        assert key not in hide(before + key + after).replace("[key]", "\n")
        assert key[:12] not in hide(f"{before}\n{key[:12]}...{key[-12:]}\n").replace("[key]", "\n")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"bad {KEY[:12]}...{KEY[-12:]}", "bad [key]...[key]"),
        (f"bad {KEY[:6]}********{KEY[-4:]}.", "bad [key]."),
        (f"bad {KEY[:6]}****", "bad [key]"),
        (f"bad ****{KEY[-4:]}", "bad [key]"),
        (f"the key that ends in {KEY[-4:]}", "the key that ends in [key]"),
        ("**sk-** is how keys start", "**sk-** is how keys start"),
    ],
)
def test_parts_of_a_key_in_errors(said, shown):
    assert tidy(said, KEY) == shown


def test_a_reply_keeps_what_only_looks_like_a_part():
    hide = hider(KEY)
    for text in ("**sk-** keys", "cdef", "f(...def)", "very secret key"):
        assert hide(text) == text
    assert hider("ollama")("ollama") == "ollama"  # a stand-in for no key


@pytest.mark.parametrize("key", [KEY, ODD])
@pytest.mark.parametrize("place", ["content", "finish_reason", "refusal"])
def test_a_reply_that_repeats_the_key_does_not_show_it(key, place, monkeypatch):
    def answer(body):
        return {"content": f"your key is {key}"} if place == "content" else {place: key}

    with Endpoint(answer) as endpoint:
        reply = ask_one(client_of(endpoint, monkeypatch, key))
    assert key not in reply.text + reply.finish


@pytest.mark.parametrize("key", [KEY, ODD])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500])
def test_an_error_that_repeats_the_key_does_not_show_it(key, status, monkeypatch):
    said = {"k": [{"deep": key}], "part": f"{key[:12]}...{key[-12:]}"}
    with Endpoint(lambda body: (status, said)) as endpoint:
        try:
            shown = ask_one(client_of(endpoint, monkeypatch, key)).error
        except SetupError as error:
            shown = str(error)
    for form in (key, json.dumps(key)[1:-1], key[:12], key[-12:], json.dumps(key[:12])[1:-1]):
        assert form not in shown


def test_an_error_nested_too_deep_is_still_text():
    assert error_text('{"error": ' + "[" * 50_000) != ""
    assert error_text('{"error": ' + "[" * 900 + "]" * 900 + "}") != ""
    assert error_text('{"error": {"a": "say \\"hi\\""}}') == '{"a": "say "hi""}'


@pytest.mark.parametrize(
    "rest",
    [
        "x@ftp://u:PW@h/v1",
        "x@localhost:11434/PW",
        "x@h.example.org/PW",
        "x@PW",
        "@http://u:PW@h/v1",
        "x@http://u:PW@h/v1",
        "x@http://u:PW@[bad/v1",
        "x@http://h:PW/v1",
        "x@http://h/v1?key=PW",
        "http://u:PW@h/v1",
        "https://h/PW",
        "x@http://h/v1@PW",
        "x@http://",
        "x@http://[",
        "x@http://h:99999/v1",
        "x@http://h h/v1",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_and_not_shown(rest, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for spec in (f"openai:{rest}", rest):
        with pytest.raises(InputError) as caught:
            connect(spec)
        assert "PW" not in str(caught.value)


@pytest.mark.parametrize("name", ["sk-1234567890", "", "A=B", "A\0B", "two words"])
def test_a_key_in_place_of_a_variable_is_refused_and_not_shown(name):
    with pytest.raises(InputError, match="name of an environment variable") as caught:
        OpenAIClient("m", base_url="http://h/v1", key_env=name)
    assert not name or name not in str(caught.value)


def test_a_key_that_looks_like_a_variable_is_not_shown(monkeypatch):
    with pytest.raises(SetupError, match="no key") as caught:
        OpenAIClient("m", base_url="http://h/v1", key_env="gsk_1234abcd")
    assert "gsk_1234abcd" not in str(caught.value)


def test_each_loop_has_its_own_connections(monkeypatch):
    with Endpoint() as endpoint:
        client = client_of(endpoint, monkeypatch)

        async def sdk():
            first = client._client()
            await asyncio.sleep(0)
            assert client._client() is first
            return first

        async def both():
            mine = await sdk()
            other = await asyncio.to_thread(asyncio.run, sdk())
            assert other is not mine
            assert client._client() is mine  # another loop does not replace it
            await client.close()
            assert mine.is_closed()
            assert not other.is_closed()
            await client.close()
            assert client._client() is not mine
            await client.close()

        asyncio.run(both())
        assert not client._sdk  # what an ended loop left was dropped
