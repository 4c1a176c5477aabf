import hashlib
import json

import pytest

from optimand.llm import models


@pytest.fixture
def model(monkeypatch, tmp_path):
    """The embedded model's file as a small one whose hash fits."""
    monkeypatch.setenv("OPTIMAND_CACHE", str(tmp_path / "cache"))
    path = models.folder() / models.FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(b"model")
    monkeypatch.setattr(models, "SIZE", 5)
    monkeypatch.setattr(models, "SHA256", hashlib.sha256(b"model").hexdigest())
    return path


def states(done):
    return {c["what"]: (c["state"], c["text"]) for c in json.loads(done.stdout)}


def test_a_machine_in_order(run, model):
    found = states(run("doctor", "--json"))
    assert found["embedded model"][0] == "ok"
    assert found["python"][0] == "ok"
    assert found["store"] == ("ok", "optimand.db is not there yet; `optimand pick` makes it")
    assert "embedded model" in run("doctor").stdout


def test_a_model_that_is_missing_or_damaged(run, model, study):
    model.write_bytes(b"medol")
    assert "not the expected file" in run("doctor", code=2).stdout
    model.unlink()
    state, text = states(run("doctor", "--json"))["embedded model"]
    assert (state, "optimand models pull" in text) == ("note", True)
    done = run("doctor", study(), "--json", code=2)
    assert states(done)["embedded model"][0] == "fault"


def test_keys_are_never_shown(run, model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-123")
    done = run("doctor")
    assert "secret" not in done.output
    assert states(run("doctor", "--json"))["OPENAI_API_KEY"] == ("ok", "set")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert states(run("doctor", "--json"))["OPENAI_API_KEY"] == ("ok", "not set")


def test_a_study_file(run, model, study):
    found = states(run("doctor", study(), "--json"))
    assert found["study"] == ("ok", "3 policies, 300 examples")
    assert found["models and judge"][0] == "ok"
    assert "words.db is not there yet" in found["store"][1]
    broken = study(("judge: exact", "judge: exakt"))
    assert "exakt" in run("doctor", broken, code=2).stdout


def test_a_store(run, model, study, tmp_path):
    run("pick", study())
    assert states(run("doctor", study(), "--json"))["store"] == (
        "ok",
        f"{tmp_path}/words.db: 1 studies",
    )
    (tmp_path / "text.db").write_text("no database at all\n" * 99)
    assert states(run("doctor", "--store", "text.db", "--json", code=2))["store"][0] == "fault"
    found = states(run("doctor", "--store", "no/such/folder.db", "--json", code=2))
    assert "make it first" in found["store"][1]
