import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from optimand.cli.signals import ends_politely

SCRIPT = """
import asyncio
import optimand.llm
from optimand.llm.scripted import Scripted

async def reply(request):
    await asyncio.sleep(0.01)
    return "yes" if len(str(request.seed)) % 2 else "no"

optimand.llm.connect = lambda spec, **options: Scripted(reply, name="scripted", width=WIDTH)
from optimand.cli import main
main()
"""

JUDGE = """
import threading
from pathlib import Path

def judge(example, output):
    (Path(__file__).parent / "called").touch()
    threading.Event().wait()
"""


def start(tmp_path, path, width=1, before=""):
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(SCRIPT).replace("WIDTH", str(width)))
    # What a shell does to a command that a script puts into the background, or under nohup.
    code = f"import signal, os, sys\n{before}\nos.execv(sys.executable, sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-c", code, sys.executable, str(script), "pick", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def ignoring(name):
    return f"signal.signal(signal.{name}, signal.SIG_IGN)"


def ended(process):
    try:
        return process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_polite_kill_ends_a_background_job_and_control_c_does_not(study, tmp_path, how):
    path = study(("seed: 3", "seed: 3\nconfidence: 0.999999999"), ("exact", "contains"))
    process = start(tmp_path, path, before=ignoring("SIGINT"))
    assert "rollouts" in process.stderr.readline()  # it is under way
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    assert process.poll() is None
    process.send_signal(how)
    out, said = ended(process)
    assert process.returncode == 130, said
    assert "Undecided: interrupted" in out
    assert "goes on" in said


def test_nohup_is_left_alone(study, tmp_path):
    path = study(("seed: 3", "seed: 3\nbudget: {rollouts: 60}"), ("exact", "contains"))
    process = start(tmp_path, path, before=ignoring("SIGHUP"))
    assert "rollouts" in process.stderr.readline()
    process.send_signal(signal.SIGHUP)
    out, said = ended(process)
    assert process.returncode in (0, 3), said
    assert "interrupted" not in out


def test_a_judge_that_never_returns_does_not_hold_the_program(study, tmp_path):
    (tmp_path / "slow.py").write_text(JUDGE)
    path = study(("judge: exact", 'judge: {type: function, function: "slow:judge"}'))
    process = start(tmp_path, path, width=4)
    while process.poll() is None and not (tmp_path / "called").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, said = ended(process)
    assert process.returncode == 130, said
    assert "Undecided: interrupted" in out


def test_everything_is_as_before_afterwards():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(KeyboardInterrupt), ends_politely():
        signal.raise_signal(signal.SIGTERM)
    assert [signal.getsignal(number) for number in numbers] == before
    ignored = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ends_politely():
            signal.raise_signal(signal.SIGINT)  # does not get in
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask


def test_json_names_the_reason(study, tmp_path):
    path = study(("seed: 3", "seed: 3\nconfidence: 0.999999999"), ("exact", "contains"))
    process = start(tmp_path, path, before=ignoring("SIGINT") + "; sys.argv.append('--json')")
    assert "rollouts" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    out, said = ended(process)
    assert process.returncode == 130, said
    assert json.loads(out)["reason"] == "interrupted"


def test_ctrl_c_while_the_program_loads_is_no_traceback():
    code = """
import optimand.cli
def load():
    raise KeyboardInterrupt
optimand.cli._app = load
optimand.cli.main()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"")
