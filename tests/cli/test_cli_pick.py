import json
import os
import re
import signal
import subprocess
import sys
import textwrap

import pytest

from optimand.core.model import Reply


def test_decided(run, study):
    done = run("pick", study())
    assert "good is best: score" in done.stdout
    assert re.search(r"1 +good +0\.\d{3} +0\.\d{3} to [01]\.\d{3}", done.stdout)
    assert "warning" not in done.stderr


def test_json_alone_is_on_standard_output(run, study):
    value = json.loads(run("pick", study(), "--json").stdout)
    assert value["decided"] is True
    assert value["best"] == "good"
    assert value["study"].startswith("words-")
    assert set(value["names"].values()) == {"good", "poor", "odd"}
    assert value["spent"]["rollouts"] == value["used"]
    assert len(value["standings"]) == 3


def test_undecided_is_code_3_and_goes_on_with_more(run, study):
    limited = study(("judge: exact", "judge: exact\nbudget: {rollouts: 6}"))
    done = run("pick", limited, code=3)
    assert "Undecided: budget" in done.stdout
    value = json.loads(run("pick", study(), "--json").stdout)
    assert value["decided"]


def test_quiet_says_nothing_but_the_result(run, study):
    assert run("pick", study(), "--quiet").stderr == ""


def test_another_store(run, study, tmp_path):
    path = study()
    run("pick", path, "--store", tmp_path / "other.db")
    assert (tmp_path / "other.db").exists()
    assert not (tmp_path / "words.db").exists()


def test_report(run, study, tmp_path):
    page = tmp_path / "out.html"
    done = run("pick", study(), "--report", page)
    assert f"Report: {page}" in done.stdout
    assert "good is best." in page.read_text(encoding="utf-8")
    json.loads(run("pick", study(), "--report", page, "--json").stdout)


def test_a_report_that_cannot_be_written(run, study, tmp_path):
    done = run("pick", study(), "--report", tmp_path / "none" / "out.html", code=2)
    assert "out.html: the report cannot be written" in done.stderr
    assert "good is best" in done.stdout


def test_bad_input_names_the_line(run, study):
    done = run("pick", study(("seed: 3", "sead: 3")), code=2)
    assert re.search(r"error: study.yaml line \d+: sead: unknown field. Did you mean", done.stderr)
    assert done.stdout == ""


def test_no_such_file(run):
    assert "nowhere.yaml" in run("pick", "nowhere.yaml", code=2).stderr


def test_an_unknown_option(run):
    assert "No such option" in run("pick", "study.yaml", "--jsno", code=2).stderr


def test_warnings_come_first(run, study):
    deaf = study(
        ('name: odd, system: odd, prompt: "{input}"', "name: odd, system: odd, prompt: hi")
    )
    said = run("pick", deaf).stderr
    assert re.match(r"warning: study.yaml line \d+: policy 'odd'", said)
    assert said.count("policy 'odd'") == 1


def test_interrupted_is_code_130_with_the_state(run, study, client):
    count, usual = [], client.reply

    def once_more(request):
        count.append(request)
        if len(count) == 13:
            signal.raise_signal(signal.SIGINT)
        return usual(request)

    client.reply = once_more
    done = run("pick", study(), code=130)
    assert "Undecided: interrupted" in done.stdout
    assert "the same command again goes on" in done.stderr
    client.reply = usual
    assert "good is best" in run("pick", study()).stdout


def test_a_service_that_is_down(run, study, client, monkeypatch):
    import optimand.core.run

    async def no_pause(seconds):
        pass

    monkeypatch.setattr(optimand.core.run.asyncio, "sleep", no_pause)
    client.reply = lambda request: Reply("", status="unknown", error="503 from the endpoint")
    done = run("pick", study(), code=3)
    assert "unavailable (503 from the endpoint)" in done.stdout


SCRIPT = """
import asyncio, random, sys
import optimand.llm
from optimand.llm.scripted import Scripted

async def reply(request):
    await asyncio.sleep(0.01)
    said = {m.role: m.content for m in request.messages}
    rate = {"good": 0.9, "poor": 0.2, "odd": 0.3}[said["system"]]
    draw = random.Random(f"{said['system']} {said['user']} {request.seed}").random()
    return "yes" if draw < rate else "no"

optimand.llm.connect = lambda spec, **options: Scripted(reply, name="scripted", width=1)
from optimand.cli import main
main()
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_control_c_and_a_polite_kill_end_with_the_state(study, tmp_path, how):
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(SCRIPT))
    hard = study(("seed: 3", "seed: 3\nconfidence: 0.999999"))
    command = [sys.executable, str(script), "pick", str(hard)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert "rollouts" in process.stderr.readline()  # it is under way
    process.send_signal(how)
    out, said = process.communicate()
    assert process.returncode == 130, said
    assert "Undecided: interrupted" in out
    assert "goes on" in said
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "good is best" in done.stdout
