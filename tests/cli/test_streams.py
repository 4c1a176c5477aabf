import csv
import errno
import io
import os
import subprocess
import sys
import textwrap

import pytest

import optimand
from optimand.cli.streams import Guarded, OutputLost, prepare, run_to_end

NAMES = ["é日本", "\u202eltr", "half \ud800", "nul\0", "plain"]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entries = [optimand.Candidate(optimand.Artifact({"value": n}), n) for n in NAMES]

    def score(value, example, seed):
        return {"score": float(value == NAMES[0]), "output": value}

    optimand.pick(entries, optimand.FunctionTask(score, name="names"), store="names.db")
    return "names.db"


def optimand_in(shell, **environment):
    """Run shell text in which $O is the program."""
    return subprocess.run(
        ["bash", "-c", f"O='{sys.executable} -m optimand'; {shell}"],
        capture_output=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )


C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, C],
    ids=["ascii", "latin-1", "C"],
)
def test_any_encoding_takes_any_name(store, environment):
    shell = "set -e; $O list names.db; $O show names --store names.db; $O --help"
    done = optimand_in(shell, **environment)
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5\\u672c" in done.stdout
    done = optimand_in("$O export names --store names.db --format csv", **environment)
    assert done.returncode == 0, done.stderr
    encoding = "latin-1" if environment.get("PYTHONIOENCODING") == "latin-1" else "ascii"
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(encoding))))
    written = NAMES[0].encode(encoding, "backslashreplace").decode(encoding)
    assert written in {row["name"] for row in rows}


def test_streams_that_were_closed(store):
    done = optimand_in("$O show names --store names.db >&-")
    assert (done.returncode, done.stderr) == (0, b"")
    done = optimand_in("$O list names.db 2>&-")
    assert done.returncode == 0
    assert b"decided" in done.stdout
    done = optimand_in("$O show other --store names.db >&- 2>&-")
    assert done.returncode == 2
    done = optimand_in("$O answer --store names.db --wait 0 <&-")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "list names.db",
        "show names --store names.db",
        "show names --store names.db --json",
        "export names --store names.db",
        "export names --store names.db --format csv",
        "--help",
    ],
)
def test_a_reader_that_has_gone_is_no_error(store, command):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "optimand", *command.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


class Full(io.StringIO):
    """A stream on a device that is full; `number` is of the error."""

    def __init__(self, number=errno.ENOSPC):
        super().__init__()
        self.number = number

    def write(self, text):
        raise OSError(self.number, os.strerror(self.number))


def ended(monkeypatch, work, out=None, err=None):
    """The exit code, and what standard error holds."""
    err = err or io.StringIO()
    monkeypatch.setattr(sys, "stdout", out or io.StringIO())
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as end:
        run_to_end(work)
    return end.value.code, err.getvalue()


def test_a_full_device_is_one_line(monkeypatch):
    code, said = ended(monkeypatch, lambda: sys.stdout.write("result"), Full())
    assert code == 2
    assert said == "error: standard output: No space left on device\n"


def test_a_full_device_shows_at_the_last_flush(monkeypatch):
    out = io.StringIO()
    out.flush = lambda: Full().write("")
    code, said = ended(monkeypatch, lambda: sys.exit(3), out)
    assert (code, said.count("\n")) == (2, 1)


def test_every_command_on_a_full_device(store, monkeypatch):
    from optimand.cli import app as commands

    for arguments in (
        ["list", store],
        ["list", store, "--json"],
        ["show", "names", "--store", store],
        ["export", "names", "--store", store],
        ["export", "names", "--store", store, "--format", "csv"],
        ["doctor"],
        ["--help"],
        ["--version"],
    ):
        monkeypatch.setattr(sys, "argv", ["optimand", *arguments])
        code, said = ended(monkeypatch, lambda: commands.app(prog_name="optimand"), Full())
        assert (code, said) == (2, "error: standard output: No space left on device\n"), arguments
        code, said = ended(
            monkeypatch, lambda: commands.app(prog_name="optimand"), Full(errno.EPIPE)
        )
        assert (code, said) == (141, ""), arguments


def test_nobody_to_tell_is_no_reason_to_end(monkeypatch):
    def work():
        sys.stderr.write("how it goes")
        sys.stdout.write("result")
        sys.exit(3)

    out = io.StringIO()
    code, _ = ended(monkeypatch, work, out, Full())
    assert (code, out.getvalue()) == (3, "result")


def test_a_guarded_stream_is_otherwise_the_stream():
    inner = io.StringIO()
    guarded = Guarded(inner, vital=True)
    assert guarded.write("text") == 4
    guarded.flush()
    assert inner.getvalue() == "text"
    assert not guarded.isatty()
    with pytest.raises(OutputLost) as lost:
        Guarded(Full(errno.EPIPE), vital=True).write("x")
    assert lost.value.closed


def test_missing_streams_lead_to_nowhere(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    prepare()
    assert sys.stdin.read() == ""
    sys.stdout.write("é")
    sys.stderr.write("\ud800")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_the_store_never_takes_the_number_of_a_closed_stream(tmp_path):
    code = """
    import os
    from optimand.cli.streams import prepare
    prepare()
    with open("first", "w") as file:
        with open("number", "w") as said:
            said.write(str(file.fileno()))
    """
    (tmp_path / "x.py").write_text(textwrap.dedent(code))
    shell = f"cd {tmp_path}; {sys.executable} x.py <&- >&- 2>&-"
    subprocess.run(["bash", "-c", shell], check=True)
    assert int((tmp_path / "number").read_text()) > 2


HANGS = """
import sys, threading
from optimand.cli.streams import run_to_end
threading.Thread(target=threading.Event().wait).start()

def work():
    print("the state")
    sys.exit(130)

run_to_end(work)
"""


def test_a_call_that_never_returns_does_not_hold_an_interrupted_program(tmp_path):
    (tmp_path / "x.py").write_text(HANGS)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "x.py")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "the state\n", "")
