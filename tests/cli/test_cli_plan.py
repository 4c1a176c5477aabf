import json

import pytest


def test_before_a_first_run_gaps_are_assumed(run, study):
    done = run("plan", study(), "--gaps", "0.2", "--confidence", "0.9,0.95", "--runs", "20")
    assert "Rivals: each a gap below the last" in done.stdout
    assert "Rivals: all a gap below the best" in done.stdout
    assert "3 candidates, 20 simulated runs a row" in done.stdout
    assert "cost" not in done.stdout
    assert "after a short run" in done.stderr


def test_after_a_short_run_its_estimates_are_used(run, study):
    limited = study(("judge: exact", "judge: exact\nbudget: {rollouts: 36}"))
    run("pick", limited, code=3)
    done = run("plan", study(), "--runs", "20")
    assert "Rivals: as in the pilot" in done.stdout
    assert "rollouts are made already" in done.stdout
    assert done.stderr == ""


def test_json_holds_what_a_program_needs(run, study):
    options = ("--gaps", "0.3", "--confidence", "0.9", "--runs", "20", "--usd", "0.5", "--json")
    value = json.loads(run("plan", study(), *options).stdout)
    row = value["rows"][0]
    assert (value["unit"], row["gap"], row["confidence"]) == ("rollouts", 0.3, 0.9)
    assert row["low"] <= row["median"] <= row["high"]
    assert row["usd"] == pytest.approx(0.5 * row["mean"])


@pytest.mark.parametrize("gaps", ["0.7", "wide", "-0.1"])
def test_a_gap_that_makes_no_sense(run, study, gaps):
    said = run("plan", study(), f"--gaps={gaps}", code=2).stderr
    assert said.startswith("error: ")
    assert "gaps" in said


def test_nothing_is_called_or_written(run, study, tmp_path):
    run("plan", study(), "--gaps", "0.3", "--runs", "20")
    assert not list(tmp_path.glob("*.db"))


def test_no_key_is_needed_and_faults_of_options_come_first(run, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asks = tmp_path / "asks.yaml"
    asks.write_text(
        "models: {m: 'openai:gpt-4o-mini'}\nexamples: [{input: a, target: b}]\njudge: exact\n"
        "policies: [{name: a}, {name: b, system: s}]\n"
    )
    done = run("plan", asks, "--gaps", "0.3", "--runs", "20")
    assert "budget: {rollouts: 30}" in done.stderr
    assert "no key" in run("pick", asks, code=2).stderr
    assert "gaps" in run("plan", "nowhere.yaml", "--gaps", "wide", code=2).stderr
