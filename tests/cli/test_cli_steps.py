"""Environment steps on the command line: shown where there are any, and nowhere else."""

import csv
import json

import pytest
from tests.core.episodes import Episodes
from tests.methods.benches import token_editor, tokens_task

import optimand
from optimand import Budget


@pytest.fixture
def picked(run):
    """The result of a study of episodes in the folder's store."""
    return optimand.pick(["A", "B"], Episodes(), budget=Budget(steps=500), store="runs.db")


def test_show_says_them(run, picked):
    taken = int(picked.spent["steps"])
    assert 470 < taken <= 500
    said = run("show", picked.study, "--store", "runs.db").stdout
    assert f"Spent: {taken} environment steps, " in said
    assert "steps limit of 500 reached" in " ".join(said.split())
    assert f", {taken} environment steps." in str(picked)
    value = json.loads(run("show", picked.study, "--store", "runs.db", "--json").stdout)
    assert value["spent"]["steps"] == taken


def test_export_has_those_of_each_run(run, picked):
    lines = run("export", picked.study, "--store", "runs.db").stdout.splitlines()
    assert sum(json.loads(line)["steps"] for line in lines) == picked.spent["steps"]
    table = run("export", picked.study, "--store", "runs.db", "--format", "csv").stdout
    rows = list(csv.DictReader(table.splitlines()))
    assert sum(int(row["steps"]) for row in rows) == picked.spent["steps"]


def test_an_improvement_says_them(run):
    result = optimand.improve(
        "start",
        Episodes(tokens_task()),
        method={"type": "gepa", "steps": 20},
        proposer=token_editor(),
        budget=Budget(steps=3000),
        store="runs.db",
    )
    taken = int(result.spent["steps"])
    said = run("show", result.study, "--store", "runs.db").stdout
    assert f"Spent: {taken:,} environment steps, " in said
    assert f" rollouts, {taken:,} environment steps, " in str(result)
    assert result.to_json()["spent"]["steps"] == taken


def test_runs_without_environments_do_not_mention_them(run, study):
    said = run("pick", study(("seed: 3", "seed: 3\nbudget: {steps: 9}")))
    shown = run("show", study())
    assert "environment step" not in said.stdout + said.stderr + shown.stdout
    assert json.loads(run("show", study(), "--json").stdout)["spent"]["steps"] == 0
