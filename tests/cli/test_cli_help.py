import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest

COMMANDS = [
    *("pick", "improve", "plan", "demo", "list", "show", "report", "export", "answer", "doctor"),
    *("methods", "models"),
]
LOADED = """
import sys
sys.argv = ["optimand", "--help"]
from optimand.cli import main
try:
    main()
except SystemExit:
    pass
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_help_names_commands_and_exit_codes(run):
    text = " ".join(run("--help").stdout.split())
    for command in COMMANDS:
        assert command in text
    assert (
        "0 done, decided or proven; 2 bad input or set-up; 3 undecided or not proven; 130" in text
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run, command):
    assert "Usage" in run(command, "--help").stdout


def test_version(run):
    assert run("--version").stdout == f"optimand {version('optimand')}\n"


def test_an_unknown_command(run):
    assert "No such command" in run("pik", code=2).stderr


def test_help_loads_nothing_heavy():
    loaded = set(python(LOADED).stdout.splitlines()[-1].split())
    assert "typer" in loaded
    assert not loaded & {"numpy", "openai", "pydantic", "jinja2", "yaml", "pandas", "xllamacpp"}


def test_help_comes_at_once():
    # Seconds of this process's own work, and the least of several: what others do counts less.
    code = LOADED.rpartition("print")[0] + "import time; print(time.process_time())"
    assert min(float(python(code).stdout.splitlines()[-1]) for _ in range(3)) < 0.4


def test_the_shell_completes_commands():
    done = subprocess.run(
        [sys.executable, "-m", "optimand"],
        env={
            **os.environ,
            "_OPTIMAND_COMPLETE": "complete_bash",
            "COMP_WORDS": "optimand sh",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"^show$", done.stdout, re.MULTILINE), done
