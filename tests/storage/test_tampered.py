"""Whatever a store holds, it ends in an error that names store and study and says what to do."""

import contextlib
import json
import shutil
import sqlite3
from contextlib import closing

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import optimand
from optimand.core.errors import StorageError
from optimand.core.store import Event
from optimand.storage import connect
from optimand.storage.sqlite import SqliteStore


def score(value, example, seed):
    return {"score": float(value == "b") * 0.5 + seed % 2 / 2, "output": "long " * 500}


def run(store, rollouts):
    budget = optimand.Budget(rollouts=rollouts)
    return optimand.pick(["a", "b"], optimand.FunctionTask(score), store=store, budget=budget)


@pytest.fixture(scope="module")
def database(postgres):
    """One for all: to make a database takes longer than each of these tests."""
    return postgres.new()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """A study in a store, and a way to change what is stored behind its back."""
    where = str(tmp_path / "s.db")
    if request.param == "postgres":
        where = request.getfixturevalue("database")
        with psycopg.connect(where) as db:
            db.execute("DROP SCHEMA IF EXISTS optimand CASCADE")
    run(where, 20)

    def change(statement, *values):
        if request.param == "sqlite":
            with closing(sqlite3.connect(where)) as db:
                db.execute(statement, values)
                db.commit()
        else:
            with psycopg.connect(where) as db:
                db.execute("SET search_path TO optimand")
                db.execute(statement.replace("?", "%s"), values)

    return where, change


def read_all(where):
    with closing(connect(where, read_only=True)) as store:
        (info,) = store.studies()
        with closing(store.read(info.name)) as journal:
            journal.keys()
            return list(journal.events())


COST = [1, 2, 3, 0.5, 0]
ROLLOUT = {"candidate": "c", "example": "e", "score": 0.5, "usage": COST}
VERDICT = {"decided": True, "best": None, "reason": "x"}
STANDING = {
    **{"candidate": "c", "rank": 1, "estimate": 0.5, "low": 0, "high": 1, "runs": 3},
    **{"evidence": 1.5, "alive": True},
}
BODIES = [
    *[("rollout", ROLLOUT | {"usage": cost}, "'usage' is") for cost in (
        [1, 2], None, 3, "abcde", {}, [1, 2, 3, "x", 0], [1e999, 0, 0, 0, 0], [-1, 0, 0, 0, 0],
        [0, 0, 0, float("nan"), 0], [0, 0, 0, -1, 0], [0.5, 0, 0, 0, 0], [0, 0, 0, 10**400, 0],
    )],
    *[("rollout", ROLLOUT | {"score": s}, "'score' is") for s in ("x", 2, -1, [], float("nan"))],
    *[("rollout", ROLLOUT | {"seconds": s}, "'seconds' is") for s in ("x", 1e999, -1, None)],
    *[("rollout", ROLLOUT | {"status": s}, "'status' is") for s in ("zzz", None, [], {})],
    *[("rollout", ROLLOUT | {name: [1]}, f"'{name}' is") for name in
      ("candidate", "example", "feedback", "objectives", "repeat")],
    ("rollout", {"example": "e"}, "no 'candidate'"),
    ("comparison", {"a": "a", "b": "b", "example": "e", "outcome": 7}, "'outcome' is 7"),
    ("comparison", {"a": "a"}, "no 'b'"),
    ("score", {}, "no 'value'"),
    ("score", {"value": "1"}, "'value' is"),
    ("ask", {"text": None}, "'text' is None"),
    ("outcome", {"action": "x"}, "'action' is 'x'"),
    ("outcome", {}, "no 'action'"),
    ("session", {"names": []}, "'names' is"),
    ("session", {"order": [1]}, "'order' is"),
    ("session", {"line": "x"}, "'line' is"),
    ("examples", {"rows": [[1, 2]]}, "'rows' is"),
    ("examples", {}, "no 'rows'"),
    ("verdict", {}, "no 'decided'"),
    ("verdict", VERDICT | {"standings": [{}]}, "'standings' is"),
    ("verdict", VERDICT | {"standings": [STANDING | {"more": 1}]}, "'standings' is"),
    ("snapshot", VERDICT | {"history": {"at": ["x"]}}, "'history' is"),
    ("snapshot", VERDICT | {"used": "many"}, "'used' is"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "body", "words"), BODIES)
def test_a_body_that_cannot_be_used(tmp_path, kind, body, words):
    path = tmp_path / "s.db"
    with closing(SqliteStore(path)) as store, closing(store.write("study", {})) as journal:
        journal.append([Event(kind, body, "k")])
        for look in (lambda: list(journal.events()), lambda: journal.find("k")):
            with pytest.raises(StorageError, match=words) as caught:
                look()
            assert "s.db: event 1 of study 'study' cannot be read" in str(caught.value)
            assert "damaged. Restore a copy, or begin the study in another" in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        *("{", "", "[1]", "null", '"text"', '{"a": 1', '{"usage":[1,2],"score":"x"}'),
        *("[" * 100_000, '{"a":' + "9" * 5000 + "}", '{"x":{"$payload":"00"}}'),
    ],
)
def test_altered_bodies(place, body):
    where, change = place
    change("UPDATE event SET body = ? WHERE kind = 'rollout'", body)
    with pytest.raises(StorageError, match=r"event \d+ of study 'function-.*damaged. Restore"):
        read_all(where)
    with pytest.raises(StorageError, match=r"event \d+ of study"):
        run(where, 40)


@pytest.mark.parametrize("text", ["{", "[]", "null", "1", '{"confidence": "x"}',
                                  '{"candidates": []}', '{"candidates": {"c": {"parts": 1}}}',
                                  '{"confidence": 1}', "[" * 100_000])  # fmt: skip
def test_altered_settings(place, text):
    where, change = place
    change("UPDATE study SET settings = ?", text)
    with pytest.raises(StorageError, match=r"study 'function-\w+' cannot be read .*damaged"):
        read_all(where)


def test_an_altered_study_does_not_hide_that_another_is_missing(place):
    where, change = place
    change("UPDATE study SET settings = '{'")
    with (
        closing(connect(where)) as store,
        pytest.raises(StorageError, match=r"no study 'absent'\. Studies there: function-"),
    ):
        store.read("absent")


@pytest.mark.parametrize("value", [-1, "9e999"])
def test_altered_times(place, value):
    where, change = place
    # PostgreSQL's number has no 9e999, its infinity is a text.
    text = "'Infinity'" if value == "9e999" and where.startswith("postgresql") else value
    change(f"UPDATE event SET at = {text}")
    with pytest.raises(StorageError, match=r"'at' is .*it must be a finite number from 0 up"):
        read_all(where)


def test_altered_payloads(place):
    where, change = place
    change("UPDATE payload SET data = ?", b"not compressed")
    with pytest.raises(StorageError, match=r"event \d+ of study .*damaged"):
        read_all(where)
    change("DELETE FROM payload")
    with pytest.raises(StorageError, match=r"event \d+ of study .*its payload .* is missing"):
        read_all(where)


@pytest.mark.parametrize(
    ("version", "words"),
    [(-1, "does not say its version"), (99, "upgrade optimand"), (0, "open it for writing once")],
)
def test_altered_versions(place, version, words):
    where, change = place
    change(f"UPDATE optimand SET version = {version}")
    with pytest.raises(StorageError, match=words):
        read_all(where)


@pytest.mark.parametrize("table", ["event", "study", "payload", "answer"])
def test_a_missing_table(place, table):
    where, change = place
    change(f"DROP TABLE {table} {'CASCADE' if where.startswith('postgresql') else ''}")

    def look():
        with closing(connect(where)) as store:
            (info,) = store.studies()
            with closing(store.desk(info.name)) as desk:
                desk.questions()
                list(desk.events())

    with pytest.raises(StorageError, match="damaged"):
        look()


@pytest.mark.parametrize("text", ["{", "[]", "5", '"x"'])
def test_altered_questions_and_answers(place, text):
    where, change = place
    with closing(connect(where)) as store, closing(store.desk(store.studies()[0].name)) as desk:
        desk.ask({"first": "x"}, "k")
        change("UPDATE answer SET question = ?", text)
        with pytest.raises(StorageError, match=r"the question 'k' of study .*damaged"):
            desk.questions()
        change("UPDATE answer SET answer = ?", text)
        with pytest.raises(StorageError, match=r"the answer to question 'k' of study .*damaged"):
            desk.answer("k")


CELLS = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.binary(max_size=20),
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
        max_leaves=6,
    ).map(json.dumps),
)  # fmt: skip
COLUMNS = [("event", "kind"), ("event", "key"), ("event", "at"), ("event", "body"),
           ("study", "name"), ("study", "created"), ("study", "settings"),
           ("payload", "hash"), ("payload", "data"), ("optimand", "version")]  # fmt: skip


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "s.db"
    with closing(SqliteStore(path)) as store, closing(store.write("study", {"x": 1})) as journal:
        body = {"candidate": "a", "example": "b", "output": "long " * 500}
        journal.append([Event("rollout", body, "k")])
    return path


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(COLUMNS), CELLS)
def test_any_value_in_any_cell_is_read_or_refused(untouched, column, value):
    path = untouched.with_name("altered.db")
    shutil.copy(untouched, path)
    table, name = column
    with closing(sqlite3.connect(path)) as db, contextlib.suppress(sqlite3.IntegrityError):
        db.execute(f"UPDATE {table} SET {name} = ?", (value,))
        db.commit()
    said = "altered.db"
    try:
        read_all(path)
    except StorageError as error:
        said = str(error)
    assert "altered.db" in said
