import json
import os
import shutil
from contextlib import closing

import pytest

from optimand.storage.connect import connect


@pytest.fixture
def store(run, study):
    """The folder's store with two studies: a decided one and one that ran out of budget."""
    run("pick", study())
    small = study(("seed: 3", "seed: 4\nbudget: {rollouts: 6}"), name="small.yaml")
    run("pick", small, code=3)
    return "words.db"


def names(store):
    with closing(connect(store, read_only=True)) as opened:
        return [info.name for info in opened.studies()]


def test_list(run, store):
    lines = run("list", store).stdout.splitlines()
    assert "decided: separated" in lines[1]
    assert "undecided: budget" in lines[2]
    assert "good" in lines[1]
    value = json.loads(run("list", store, "--json").stdout)
    assert [entry["study"] for entry in value] == names(store)
    assert value[0]["used"] > 0
    assert (value[0]["unit"], value[0]["decided"]) == ("rollouts", True)
    assert (value[1]["decided"], value[1]["reason"]) == (False, "budget")


def test_list_of_nothing(run, tmp_path):
    assert "none.db: no such store" in run("list", "none.db", code=2).stderr
    connect("empty.db").close()
    done = run("list", "empty.db")
    assert "no studies" in done.stderr
    assert json.loads(run("list", "empty.db", "--json").stdout) == []


def test_a_file_of_another_kind(run, tmp_path):
    (tmp_path / "text.db").write_text("this is no database, and it is long enough to be sure\n" * 9)
    assert "text.db" in run("list", "text.db", code=2).stderr


def test_show_by_name_beginning_and_file(run, store):
    first, second = names(store)
    for wanted in (first, first[:-2], "study.yaml"):
        arguments = [] if wanted == "study.yaml" else ["--store", store]
        done = run("show", wanted, *arguments)
        assert f"{first}: good is best." in done.stdout
        assert "Spent: " in done.stdout
    assert f"{second}: Not decided" in run("show", "small.yaml").stdout
    assert "Raise the budget" in run("show", second, "--store", store).stdout


def test_show_as_json(run, store):
    value = json.loads(run("show", "study.yaml", "--json").stdout)
    assert value["best"] == "good"
    assert value["state"] == "decided: separated"
    assert value["spent"]["rollouts"] == value["used"]


def test_unknown_and_ambiguous_names(run, store):
    first, second = names(store)
    done = run("show", first.replace("words", "wards"), "--store", store, code=2)
    assert f"Nearest: {first}" in done.stderr or first in done.stderr
    done = run("show", "words", "--store", store, code=2)
    assert f"begins several: {first}, {second}" in done.stderr


def test_a_file_that_was_not_run(run, store, study):
    other = study(("seed: 3", "seed: 77"), name="other.yaml")
    assert "has not been run" in run("show", other, code=2).stderr


def test_show_while_it_is_written(run, store):
    with closing(connect(store)) as opened, closing(opened.write(names(store)[0], {})):
        assert "good is best." in run("show", names(store)[0], "--store", store).stdout


def test_a_study_without_a_state(run, tmp_path):
    with closing(connect("new.db")) as opened:
        opened.write("fresh-1", {"task": "fresh"}).close()
    assert "There is no result yet." in run("show", "fresh", "--store", "new.db").stdout
    value = json.loads(run("show", "fresh", "--store", "new.db", "--json").stdout)
    assert value["state"] == "unfinished"
    assert "unfinished" in run("list", "new.db").stdout


def test_report(run, store, tmp_path):
    done = run("report", "study.yaml")
    written = tmp_path / f"{names(store)[0]}.html"
    assert done.stdout.strip() == written.name
    assert "good is best." in written.read_text(encoding="utf-8")
    run("report", "small.yaml", "-o", "small.html")
    assert "Not decided" in (tmp_path / "small.html").read_text(encoding="utf-8")
    done = run("report", "study.yaml", "-o", tmp_path / "no" / "r.html", code=2)
    assert "cannot be written" in done.stderr


def test_readers_change_nothing(run, store, tmp_path):
    shutil.copy(store, "copy.db")
    before = (tmp_path / "copy.db").read_bytes()
    os.chmod("copy.db", 0o444)
    name = names("copy.db")[0]
    run("list", "copy.db")
    run("show", name, "--store", "copy.db")
    run("report", name, "--store", "copy.db", "-o", "x.html")
    run("export", name, "--store", "copy.db")
    assert (tmp_path / "copy.db").read_bytes() == before


@pytest.mark.parametrize("verb", ["list", "show", "report", "export"])
def test_a_missing_store_is_told_with_the_way_out(run, verb, study, tmp_path):
    named = [] if verb == "list" else ["some-study"]
    told = run(verb, *named, code=2).stderr
    assert "optimand.db: no such store. `optimand pick` makes one" in told
    assert "add --store FILE" in told
    assert "none.db: no such store" in run(verb, *named, "--store", "none.db", code=2).stderr
    if named:
        told = run(verb, study(), code=2).stderr
        assert "words.db: no such store" in told
        assert "study.yaml` makes it" in told
    assert not list(tmp_path.glob("*.db*"))


def test_list_takes_the_option_too(run, store):
    assert run("list", "--store", store).stdout == run("list", store).stdout
    assert "two stores" in run("list", store, "--store", "other.db", code=2).stderr


def test_readers_leave_no_files(run, store, tmp_path):
    def files():
        return {p.name for p in tmp_path.iterdir()}

    before, name = files(), names(store)[0]
    run("list", store)
    run("show", name, "--store", store)
    run("export", name, "--store", store)
    run("report", name, "--store", store, "-o", "x.html")
    assert files() == before | {"x.html"}
    assert not [n for n in before if n.endswith(("-wal", "-shm"))]


def test_show_names_reference_threshold_and_price(run, study):
    run("pick", study(("judge: exact", "judge: {type: margin, score: exact}")))
    lines = run("show", "study.yaml").stdout.splitlines()
    assert "evidence against (out at " in lines[0]
    assert lines[1].split()[:3] == ["1", "good", "reference"]
    value = json.loads(run("show", "study.yaml", "--json").stdout)
    assert value["standings"][0]["name"] == "good"
    assert value["wins"]["names"] == ["good", "poor", "odd"]
    assert value["threshold"] > 0
