import csv
import io
import json

import pytest

import optimand


@pytest.fixture
def store(run, study):
    run("pick", study())
    return "study.yaml"


def test_records_as_json_lines(run, store):
    done = run("export", store)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    used = json.loads(run("show", store, "--json").stdout)["used"]
    assert len(rows) == used
    assert f"{used:,} records" in done.stderr
    for row in rows:
        assert row["name"] in ("good", "poor", "odd")
        assert row["score"] == float(row["output"] == "yes")
        assert row["status"] == "ok"
        assert row["calls"] == 1
        assert row["input"].startswith("question ")
        assert row["target"] == "yes"
    assert len({row["input"] for row in rows}) == len({row["example"] for row in rows})


def test_records_as_csv_guard_formulas(run, store, tmp_path):
    run("export", store, "--format", "csv", "-o", "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["output"] for row in rows} == {"yes", "'=no"}
    assert {float(row["score"]) for row in rows} == {0.0, 1.0}
    assert {row["target"] for row in rows} == {"yes"}


def test_examples_without_end_are_empty(run):
    def score(value, example, seed):
        return value

    optimand.pick([0.1, 0.9], optimand.FunctionTask(score, name="drawn"), store="drawn.db")
    done = run("export", "drawn", "--store", "drawn.db")
    row = json.loads(done.stdout.splitlines()[0])
    assert (row["input"], row["target"], row["score"]) == (None, None, 0.1)


def test_hidden_halves_of_characters_do_not_stop_an_export(run, study, client):
    usual = client.reply
    client.reply = lambda request: usual(request) + " \ud800"
    path = study(("judge: exact", "judge: contains"))
    run("pick", path)
    rows = [json.loads(line) for line in run("export", path).stdout.splitlines()]
    assert any(row["output"] == "yes \ud800" for row in rows)
    table = run("export", path, "--format", "csv").stdout
    assert "yes \\ud800" in {row["output"] for row in csv.DictReader(io.StringIO(table))}


def test_comparisons(run, study):
    path = study(("judge: exact", "judge: {type: margin, score: exact}"))
    run("pick", path)
    rows = [json.loads(x) for x in run("export", path, "--what", "comparisons").stdout.splitlines()]
    assert rows
    for row in rows:
        assert row["outcome"] in (0.0, 0.5, 1.0)
        assert {row["a_name"], row["b_name"]} < {"good", "poor", "odd"}
        assert (row["input"][:9], row["target"]) == ("question ", "yes")
        assert row["seconds"] > 0


def test_bad_choices(run, store):
    assert "Invalid value" in run("export", store, "--format", "xml", code=2).stderr
    assert "choose another place" in run("export", store, "-o", "no/x.jsonl", code=2).stderr
    assert "no study" in run("export", "unknown", "--store", "words.db", code=2).stderr
