import ast
import io
import json
import os
import pty
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

import optimand
import optimand.cli
from optimand.cli import screen
from optimand.cli.common import command
from optimand.cli.desk import StudyDesk
from optimand.storage.connect import connect

EVIL = "\x1b[2J\x1b]0;PWNED\x07 [bold]x[/] [/nope] :smile: \u202edetrevni \x9b31m \ud800\r\x00"
NAME = EVIL.replace("\ud800", "").replace("\x00", "")  # of a study: no store takes these two
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")
FOLDER = Path(optimand.cli.__file__).parent
RICH_ELSEWHERE = {"rich.live", "rich.progress_bar"}
"""What draws, but is handed no text of ours."""
WRITERS = {"print", "sys.stdout.write", "sys.stderr.write", "typer.echo", "typer.secho"}
DRAWS = (".add_row", ".add_column", ".Text", ".Console")


def modules():
    return {path.name: ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("*.py")}


def test_only_one_module_hands_texts_to_rich():
    for name, tree in modules().items():
        if name == "screen.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rich"):
                guarded = ast.unparse(node) == "from rich.console import Console"  # a type
                assert node.module in RICH_ELSEWHERE or guarded, (name, ast.unparse(node))
            if isinstance(node, ast.Import):
                assert not any(a.name.startswith("rich") for a in node.names), name
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                drawn = called.endswith(DRAWS) or called in ("Text", "Console")
                assert not drawn, (name, called)


def test_only_one_module_writes_to_the_streams():
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in WRITERS:
                assert name in ("common.py", "streams.py"), (name, ast.unparse(node))


def test_texts_are_neither_markup_nor_hidden():
    console = Console(file=io.StringIO(), force_terminal=True, width=200, color_system=None)
    table = screen.table([(EVIL, {})])
    screen.add_row(table, EVIL)
    console.print(screen.stack(table, EVIL))
    text = console.file.getvalue()
    assert not HIDDEN.search(text)
    assert text.count("␛[2J") == 3
    assert text.count("[bold]x[/] [/nope] :smile:") == 3


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store in which everything that a user or a model names is hostile."""
    monkeypatch.chdir(tmp_path)
    names = [EVIL, f"{EVIL} two", "=1+1"]
    entries = [optimand.Candidate(optimand.Artifact({"value": n}), n) for n in names]

    def score(value, example, seed):
        return {"score": float(value == EVIL), "output": value, "feedback": value}

    optimand.pick(entries, optimand.FunctionTask(score, name=f"h{NAME}"), store="evil.db")
    with closing(connect("evil.db")) as opened:
        name = opened.studies()[0].name
        with closing(opened.desk(name)) as desk:
            desk.ask({"kind": "pair", "criteria": EVIL, "input": EVIL, "first": EVIL}, "k")
    return "evil.db"


COMMANDS = [
    (["list", "evil.db"], 0),
    (["show", "h", "--store", "evil.db"], 0),
    (["show", f"none {EVIL}", "--store", "evil.db"], 2),
    (["show", "h", "--store", f"none {EVIL}"], 2),
    (["report", "h", "--store", "evil.db"], 0),
    (["report", "h", "--store", "evil.db", "-o", f"none/{EVIL}"], 2),
    (["answer", "h", "--store", "evil.db", "--wait", "0"], 0),
    (["answer", "h", "--store", "evil.db", "--give", EVIL], 2),
    (["answer", "h", "--store", "evil.db", "--give", "1", "--key", EVIL], 2),
    (["doctor", f"none {EVIL}", "--store", f"none {EVIL}"], 2),
    (["pick", EVIL], 2),
    (["plan", EVIL], 2),
    ([EVIL], 2),
    (["list", f"--{EVIL}"], 2),
    (["list", "evil.db", EVIL], 2),
    (["models", EVIL], 2),
    (["export", "h", "--format", EVIL], 2),
]


@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_no_command_lets_a_name_through(run, store, arguments, code):
    done = run(*arguments, code=code, typed="q\n")
    assert not HIDDEN.search(done.output), ascii(done.output)
    assert "Traceback" not in done.output


def test_json_is_ascii_and_holds_names_as_they_are(run, store):
    for arguments in (["list", store], ["show", "h", "--store", store]):
        text = run(*arguments, "--json").stdout
        assert text.isascii()
        found = json.loads(text)
        assert (found[0] if isinstance(found, list) else found)["best"] == EVIL


LIVE = """
import optimand, time
from optimand.cli.live import watch
from optimand.picking import pick
names = [{evil!r}, {evil!r} + " two"]
entries = [optimand.Candidate(optimand.Artifact({{"value": n}}), n) for n in names]

def score(value, example, seed):
    time.sleep(0.02)
    return 0.5

with watch(3.0, False) as observe:
    pick(entries, optimand.FunctionTask(score), budget=optimand.Budget(rollouts=60),
         observe=observe)
"""


def test_the_live_table_on_a_real_terminal(tmp_path):
    script = tmp_path / "live.py"
    script.write_text(LIVE.format(evil=EVIL), encoding="utf-8")
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="150", LINES="30", OMP_NUM_THREADS="1")
        os.execv(sys.executable, [sys.executable, str(script)])
    seen = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, seen[-2000:]
    assert b"in the race" in seen
    assert "␛[2J".encode() in seen
    for raw in (b"\x1b[2J", b"\x1b]0;PWNED", "\u202e".encode(), b"\x9b31m", b"\x00"):
        assert raw not in seen


def test_commands_to_copy_run_nothing_else():
    line = command("answer", "my study; rm x", store="sp ace/$(x).db")
    assert line == "optimand answer 'my study; rm x' --store 'sp ace/$(x).db'"
    assert shlex.split(command("list", "a'b")) == ["optimand", "list", "a'b"]
    assert command("answer", "-x", store="-y") == "optimand answer --store=-y -- -x"


def test_the_desk_says_a_command_that_is_safe_to_copy(tmp_path):
    said = []
    place = tmp_path / "sp ace;$(x).db"
    with closing(StudyDesk(str(place), said.append)) as desk:
        desk.study = "my study; rm x-1"
        with closing(connect(place)) as opened:
            opened.write(desk.study, {}).close()
        desk.ask({"kind": "pair"}, "k")
        assert desk.answer("k") is None
    words = shlex.split(said[0].partition("terminal: ")[2])
    assert words == ["optimand", "answer", desk.study, "--store", str(place)]


@pytest.mark.parametrize("bad", ["x" * 300, "x" * 300 + ".yaml", "a\0b", "a\ud800"])
def test_names_that_no_file_can_have(run, study, bad):
    path = study()
    run("pick", path)
    for arguments in (
        ["pick", path, "--store", bad],
        ["list", bad],
        ["show", bad],
        ["show", "words", "--store", bad],
        ["report", "words", "--store", bad],
        ["report", path, "-o", bad],
        ["export", path, "-o", bad],
        ["answer", "words", "--store", bad, "--wait", "0"],
    ):
        done = run(*arguments, code=2)
        boxed = done.stderr.startswith("Usage")  # typer's own refusal
        assert boxed or done.stderr.count("\n") == 1, (arguments, done.output)
    for arguments in (["pick", bad], ["plan", bad], ["doctor", bad], ["doctor", "--store", bad]):
        assert "Traceback" not in run(*arguments, code=2).output
