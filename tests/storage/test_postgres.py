"""The PostgreSQL store against a real server: secrets, locks, failures."""

import random
import signal
import subprocess
import sys
import threading

import psycopg
import pytest

import optimand
from optimand.core.errors import InputError, StorageError, StudyBusy
from optimand.core.store import Event
from optimand.storage.postgres import PostgresStore
from optimand.storage.postgres_url import read_url

HIDDEN = ("s3cret", "tail")
CALLS = []  # not in a closure: what a function carries along is part of what it is


def hidden(text):
    return not any(piece in text for piece in HIDDEN)


def test_no_password_is_ever_shown(postgres):
    url = postgres.new()
    store = PostgresStore(url)
    journal = store.write("study", {})
    for text in (store.url, repr(store), repr(read_url(url)), str(vars(journal))):
        assert hidden(text)
    assert store.url.startswith("postgresql://me@")
    journal.close()
    store.close()


@pytest.mark.parametrize("password", ["wrong-s3cret", ""])
def test_a_refused_login_names_the_place_and_the_way_out(postgres, password):
    with pytest.raises(StorageError, match=r"postgresql://me@.*(Check user|PGPASSWORD)") as caught:
        PostgresStore(postgres.url("postgres", password))
    assert hidden(str(caught.value))
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@tail@host/db",
        "postgresql://me:s3cret/tail@host/db",
        "postgresql://me:s3cret#tail@host/db",
        "postgresql://me:s3cret%tail@host/db",
        "postgresql://me@host/db?nonsense=s3cret",
        "postgresql://me@host/db?s3cret",
        "postgresql://me:s3cret\0tail@host/db",
        "postgresql://me:s3cret@host\0tail/db",
        "postgresql://me:s3cret\ud800tail@host/db",
    ],
)
def test_a_url_that_cannot_be_read_is_not_repeated(url):
    with pytest.raises(InputError, match="percent-encoded") as caught:
        PostgresStore(url)
    assert hidden(str(caught.value))
    assert caught.value.__cause__ is None


def test_passwords_as_options_are_hidden_too(postgres):
    url = f"postgresql:///nothing?host={postgres.folder}&user=me&password=s3cret%3A%40%2F%25tail"
    with pytest.raises(StorageError, match='database "nothing" does not exist') as caught:
        PostgresStore(url)
    assert hidden(str(caught.value))


def test_errors_that_hold_the_password_are_cleaned():
    url = read_url("postgresql://me:s3cret%40tail@host/db")
    assert url.without_secrets("bad s3cret@tail and s3cret%40tail") == "bad *** and ***"


def test_no_server_says_so(tmp_path):
    with pytest.raises(StorageError, match="Is the server running"):
        PostgresStore(f"postgresql://me@/db?host={tmp_path}")


def test_reading_makes_nothing(postgres):
    url = postgres.new()
    with pytest.raises(StorageError, match="no store there"):
        PostgresStore(url, read_only=True)
    PostgresStore(url).close()
    store = PostgresStore(url, read_only=True)
    assert store.studies() == []
    with pytest.raises(StorageError, match="reading only"):
        store.write("study", {})
    store.close()


def test_tables_of_others_are_left_alone(postgres):
    url = postgres.new()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE event (x int)")
        store = PostgresStore(url)
        store.write("study", {}).close()
        store.close()
        assert db.execute("SELECT count(*) FROM event").fetchone() == (0,)
        assert db.execute("SELECT name FROM optimand.study").fetchall() == [("study",)]


def test_a_newer_schema_is_refused(postgres):
    url = postgres.new()
    PostgresStore(url).close()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("UPDATE optimand.optimand SET version = 99")
    with pytest.raises(StorageError, match=r"schema 99.*upgrade optimand"):
        PostgresStore(url)


def test_many_may_make_the_tables_at_once(postgres):
    url, failed = postgres.new(), []

    def work(number):
        try:
            store = PostgresStore(url)
            store.write(f"study {number}", {}).close()
            store.close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_the_holder_is_named(postgres):
    url = postgres.new()
    first, second = PostgresStore(url), PostgresStore(url)
    journal = first.write("study", {})
    with pytest.raises(StudyBusy, match=r"written by optimand process \d+ on .*read\('study'\)"):
        second.write("study", {})
    journal.close()
    first.close()
    second.close()


HOLD = """
import sys, time
from optimand.core.store import Event
from optimand.storage.postgres import PostgresStore
journal = PostgresStore(sys.argv[1]).write("study", {})
journal.append([Event("x", {"n": 1})])
print("held", flush=True)
time.sleep(60)
"""


def test_a_killed_writer_frees_its_study_and_keeps_its_events(postgres):
    url = postgres.new()
    process = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    store = PostgresStore(url)
    journal = store.write("study", {})
    assert [e.body for e in journal.events()] == [{"n": 1}]
    journal.close()
    store.close()


def test_a_lost_connection_ends_the_run_and_it_resumes(postgres):
    url, cut = postgres.new(), threading.Event()
    CALLS.clear()

    def score(value, example, seed):
        CALLS.append((value, example.id))
        if len(CALLS) > 50 and not cut.is_set():
            cut.set()
            with psycopg.connect(url, autocommit=True) as db:
                db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
        return float(random.Random(f"{value}{seed}").random() < value)

    def run(store):
        task = optimand.FunctionTask(score, width=4)
        budget = optimand.Budget(rollouts=200)
        return optimand.pick([0.52, 0.5], task, store=store, budget=budget)

    with pytest.raises(StorageError, match="Run the same command again"):
        run(url)
    result = run(url)
    assert len(CALLS) - len(set(CALLS)) <= 16  # those in flight when the server went
    assert result.verdict == run("memory:").verdict


def test_the_server_itself_is_killed_and_recovers(postgres):
    url = postgres.new()
    store = PostgresStore(url)
    journal = store.write("study", {})
    journal.append([Event("x", {"n": 1}, "k")])
    postgres.stop("immediate")
    with pytest.raises(StorageError, match=r"is kept\. 1 result .* could not be saved"):
        journal.append([Event("x", {"n": 2}, "l"), Event("x", {"n": 3})])
    journal.close()
    store.close()
    postgres.go()
    again = PostgresStore(url)
    reader = again.read("study")
    assert [e.body["n"] for e in reader.events()] == [1]
    reader.close()
    again.close()
