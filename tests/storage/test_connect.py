"""From what a user wrote to a store."""

import pytest

import optimand
from optimand.core.errors import InputError, SetupError
from optimand.storage.connect import connect
from optimand.storage.memory import MemoryStore
from optimand.storage.sqlite import SqliteStore


def test_paths_and_urls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for where, path in [
        (tmp_path / "a.db", tmp_path / "a.db"),
        ("b.db", tmp_path / "b.db"),
        ("sqlite:///c.db", tmp_path / "c.db"),
        (f"sqlite:///{tmp_path}/d.db", tmp_path / "d.db"),
    ]:
        store = connect(where)
        assert isinstance(store, SqliteStore)
        assert path.is_file()
        store.close()
    assert isinstance(connect("memory:"), MemoryStore)
    with pytest.raises(InputError, match=r"no such kind.*sqlite:///path"):
        connect("")


def test_an_unknown_kind_does_not_repeat_the_url():
    with pytest.raises(InputError, match="'mysql': no such kind") as caught:
        connect("mysql://me:hunter2@host/db")
    assert "hunter2" not in str(caught.value)


def test_postgres(postgres):
    url = postgres.new()
    store = connect(url)
    assert store.studies() == []
    store.close()
    reader = connect(url.replace("postgresql:", "postgres:"), read_only=True)
    assert reader.read_only
    reader.close()


def test_without_psycopg_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(SetupError, match=r"optimand\[postgres\]"):
        connect("postgresql://host/db")


def test_pick_takes_a_url_and_resumes(postgres, monkeypatch):
    url = postgres.new()
    task = optimand.FunctionTask(lambda value, example, seed: value, width=4)
    first = optimand.pick([0.1, 0.9], task, store=url)
    assert first.decided
    monkeypatch.setattr(optimand.FunctionTask, "execute", None)  # a call would be an error
    assert optimand.pick([0.1, 0.9], task, store=url).verdict == first.verdict


def test_list_takes_a_url(postgres, capsys):
    from optimand.cli.app import app

    url = postgres.new()
    store = connect(url)
    store.write("my study", {}).close()
    store.close()
    with pytest.raises(SystemExit) as done:
        app(["list", url])
    assert done.value.code == 0
    assert "my study" in capsys.readouterr().out
