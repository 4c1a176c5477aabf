"""A PostgreSQL server of the tests' own, on a Unix socket in a temporary folder."""

import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

PASSWORD = "s3cret:@/%tail"
QUOTED = "s3cret%3A%40%2F%25tail"
_numbers = itertools.count()


def binaries():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[-3])
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def as_user(command):
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "nobody", "--", *command] if os.getuid() == 0 else command


class Server:
    def __init__(self, folder):
        self.bin, self.folder = binaries(), folder
        self.data = folder / "data"

    def run(self, name, *arguments):
        command = as_user([str(self.bin / name), *map(str, arguments)])
        done = subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        words = self.folder / "password"
        words.write_text(PASSWORD)
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody")
        self.run(
            "initdb", "-D", self.data, "-U", "me", "-A", "scram-sha-256", "--pwfile", words,
            "-E", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip
        self.go()

    def go(self):
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=40"
        log = self.folder / "log"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def url(self, database, password=QUOTED):
        return f"postgresql://me:{password}@/{database}?host={self.folder}"

    def new(self):
        """The URL of a new, empty database."""
        import psycopg

        name = f"study{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        return self.url(name)


@pytest.fixture(scope="session")
def postgres():
    if binaries() is None:
        pytest.skip("PostgreSQL's server (initdb, pg_ctl) is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # a socket's path must be short
    server = Server(folder)
    try:
        server.start()
        yield server
    finally:
        if (server.data / "postmaster.pid").exists():
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["memory", "sqlite", "sqlite durable", "postgres"])
def make_store(request, tmp_path):
    """Opens one empty place, of each kind in turn."""
    if request.param == "memory":
        from optimand.storage.memory import MemoryStore

        store = MemoryStore()
        return lambda: store
    if request.param == "postgres":
        from optimand.storage.postgres import PostgresStore

        url = request.getfixturevalue("postgres").new()
        return lambda: PostgresStore(url)
    from optimand.storage.sqlite import SqliteStore

    durable = request.param == "sqlite durable"
    return lambda: SqliteStore(tmp_path / "s.db", durable=durable)
