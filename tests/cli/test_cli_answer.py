import json
import os
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

from optimand.cli.asking import answer_from, hint_of, prompt_of, shown_question
from optimand.core.errors import InputError
from optimand.storage.connect import connect

PAIR = {
    "kind": "pair",
    "judge": "human",
    "criteria": "Which is kinder?",
    "example": "7",
    "input": "hello",
    "first": "good day",
    "second": "go away \x1b[2J",
    "choices": ["first", "second", "tie"],
}
GRADE = {
    "kind": "score",
    "criteria": "How kind?",
    "example": "7",
    "input": "hello",
    "output": "good day",
    "scale": [1, 5],
}


@pytest.fixture
def desk(run):
    """A store with a study that asks three questions."""
    with closing(connect("ask.db")) as store:
        store.write("asking-1", {"task": "asking"}).close()
        with closing(store.desk("asking-1")) as desk:
            for key in ("k1", "k2", "k3"):
                desk.ask(PAIR | {"example": key}, key)
            yield desk


def test_a_conversation(run, desk):
    typed = "1 it is kinder\nmaybe\ns\nt\nq\n"
    done = run("answer", "asking", "--store", "ask.db", "--wait", 0, typed=typed)
    assert desk.answer("k1") == {"choice": "first", "comment": "it is kinder"}
    assert desk.answer("k2") is None
    assert desk.answer("k3") == {"choice": "tie", "comment": ""}
    assert "Which is kinder?" in done.stdout
    assert "go away ␛[2J" in done.stdout
    assert "'maybe' is not an answer: write 1, 2 or t" in done.stderr
    assert "2 answered" in done.stderr


def test_the_end_of_input_ends_it(run, desk):
    done = run("answer", "--store", "ask.db", typed="2\n")
    assert desk.answer("k1") == {"choice": "second", "comment": ""}
    assert "1 answered" in done.stderr


def test_waiting_questions_as_json(run, desk):
    value = json.loads(run("answer", "--store", "ask.db", "--json").stdout)
    assert [q["key"] for q in value] == ["k1", "k2", "k3"]
    assert value[0]["first"] == "good day"


def test_one_answer_without_asking(run, desk):
    run("answer", "asking", "--store", "ask.db", "--give", "2", "--comment", "why", "--key", "k2")
    assert desk.answer("k2") == {"choice": "second", "comment": "why"}
    done = run("answer", "asking", "--store", "ask.db", "--give", "5", code=2)
    assert "write 1, 2 or t" in done.stderr
    done = run("answer", "asking", "--store", "ask.db", "--give", "1", "--key", "zz", code=2)
    assert "no question with the key 'zz' waits; 2 wait in all" in done.stderr


def test_nothing_waits(run):
    with closing(connect("quiet.db")) as store:
        store.write("quiet-1", {}).close()
    assert "no question waits" in run("answer", "--store", "quiet.db", "--wait", 0).stderr
    assert "no such store" in run("answer", "--store", "none.db", code=2).stderr


def test_grades():
    assert answer_from(GRADE, "4,5 quite kind") == {"score": 4.5, "comment": "quite kind"}
    for typed in ("6", "kind", "nan", ""):
        with pytest.raises(InputError, match="from 1 to 5"):
            answer_from(GRADE, typed)
    assert "OUTPUT ---\ngood day" in shown_question(GRADE)


def test_a_question_reads_as_text():
    asked = PAIR | {
        "input": '{"q": "Who?", "poem": "one\\ntwo", "years": [1, 2]}',
        "first": '{"name":"Ada"}',
        "second": "{not JSON",
    }
    assert shown_question(asked) == textwrap.dedent(
        """\
        Example 7

        Which is kinder?

        --- INPUT ---
        q: Who?
        poem:
          one
          two
        years:
          [
            1,
            2
          ]

        --- FIRST ---
        {
          "name": "Ada"
        }

        --- SECOND ---
        {not JSON"""
    )


def test_a_target_is_there_only_where_the_judge_shows_it():
    assert "TARGET" not in shown_question(GRADE)
    asked = GRADE | {"target": '["good day", "hello"]'}
    assert "--- TARGET ---\n- good day\n- hello\n\n--- OUTPUT" in shown_question(asked)


@pytest.mark.parametrize("text", ["[]", "{}", "{", "[" * 5000, "", "plain", '["a", {"b": 1}]'])
def test_any_text_is_shown(text):
    assert f"--- OUTPUT ---\n{text[:1]}" in shown_question(GRADE | {"input": text, "output": text})


def test_how_to_answer_is_said_once(run, desk):
    done = run("answer", "asking", "--store", "ask.db", "--wait", 0, typed="1\n2\nt\n")
    assert done.stderr.count(hint_of(PAIR)) == 1
    assert done.stderr.count(prompt_of(PAIR)) == 3


def test_how_to_answer_is_said_again_for_another_kind(run):
    with closing(connect("ask.db")) as store:
        store.write("asking-1", {"task": "asking"}).close()
        with closing(store.desk("asking-1")) as desk:
            desk.ask(PAIR, "k1")
            desk.ask(GRADE, "k2")
    done = run("answer", "asking", "--store", "ask.db", "--wait", 0, typed="1\n5\n")
    assert done.stderr.count(hint_of(PAIR)) == done.stderr.count(hint_of(GRADE)) == 1
    assert "2 answered" in done.stderr


def test_the_run_says_once_that_questions_wait(tmp_path):
    from optimand.cli.desk import StudyDesk

    said = []
    with closing(StudyDesk(str(tmp_path / "ask.db"), said.append)) as desk:
        desk.study = "asking-1"
        with closing(connect(tmp_path / "ask.db")) as store:
            store.write("asking-1", {}).close()
        for key in ("k1", "k2"):
            desk.ask(PAIR, key)
            assert desk.answer(key) is None
    assert len(said) == 1
    assert "optimand answer asking-1" in said[0]


SCRIPT = """
import optimand.llm
from optimand.llm.scripted import Scripted

def reply(request):
    return next(m.content for m in request.messages if m.role == "system")

optimand.llm.connect = lambda spec, **options: Scripted(reply, name="scripted", width=1)
from optimand.cli import main
main()
"""


def test_a_person_decides_a_study(run, study, tmp_path):
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(SCRIPT))
    path = study(("judge: exact", "judge: {type: human, interval: 0.01}"))
    process = subprocess.Popen(
        [sys.executable, str(script), "pick", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert "in another terminal: optimand answer words-" in process.stderr.readline()
    while process.poll() is None:
        waiting = json.loads(run("answer", "--store", "words.db", "--json").stdout)
        for question in waiting:
            best = "1" if question["first"] == "good" else "2"
            best = best if "good" in (question["first"], question["second"]) else "t"
            run("answer", "--store", "words.db", "--give", best, "--key", question["key"])
    out, _ = process.communicate()
    assert process.returncode == 0
    assert "good is best: win rate 1.000" in out
