"""All that is wrong with example files is said at once, each fault with its line."""

import json

import pytest

from optimand import TextTask
from optimand.core.errors import InputError
from optimand.evaluation.judges import Exact, Margin, Numeric
from optimand.llm import Scripted
from optimand.tasks.examples import load_examples
from optimand.tasks.study import load_study


def faults(make):
    with pytest.raises(InputError) as found:
        make()
    return str(found.value).split("\n")


def file_of(tmp_path, name, lines):
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_every_fault_of_a_file_of_lines(tmp_path):
    lines = [
        '{"id": "a", "input": "one"}',
        '{"id": "a", "input": "two"}',
        '{"id": "b", "input": ',
        '{"input": "three"}',
        '{"id": true, "input": {}, "tags": 5}',
        '{"id": "c", "input": "four", "taget": "x"}',
        '{"id": "a", "input": "five"}',
    ]
    assert faults(lambda: load_examples(file_of(tmp_path, "e.jsonl", lines))) == [
        "e.jsonl line 3: broken JSON: Expecting value, column 22.",
        "e.jsonl line 5: the id is True. It must be text or a whole number.",
        "e.jsonl line 5: the input is empty. Every example needs one.",
        "e.jsonl line 5: tags are 5. They must be a list of texts.",
        "e.jsonl line 6: unknown field 'taget' beside 'input'. Known: id, input, target, tags. "
        "Did you mean 'target'? Put further fields inside 'input'.",
        "e.jsonl line 2: the id 'a' as e.jsonl line 1. Ids must differ.",
        "e.jsonl line 4: no field 'id'. Other examples have one, so every example needs one.",
        "e.jsonl line 7: the id 'a' as e.jsonl line 1. Ids must differ.",
    ]


def test_of_many_faults_the_first_ten_and_their_number(tmp_path):
    same = [json.dumps({"input": "same"})] * 1235
    found = faults(lambda: load_examples(file_of(tmp_path, "e.jsonl", same)))
    assert found[0].startswith("e.jsonl line 2: the same content as e.jsonl line 1.")
    assert len(found) == 11
    assert found[-1] == "and 1,224 more such faults"


def test_rows_of_a_table_and_what_cannot_be_read_after_them(tmp_path):
    rows = ["id,input", "1,a", "2,b,c", "3", "1,d", '4,"e" f']
    found = faults(lambda: load_examples(file_of(tmp_path, "e.csv", rows)))
    lines = [line.split(":")[0] for line in found]
    assert lines == ["e.csv line 3", "e.csv line 4", "e.csv line 6", "e.csv line 5"]


def test_a_file_of_nothing_but_faults(tmp_path):
    found = faults(lambda: load_examples(file_of(tmp_path, "e.jsonl", ["{", "["])))
    assert [line.split(":")[0] for line in found] == ["e.jsonl line 1", "e.jsonl line 2"]


def test_examples_within_a_study_file(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(
        "judge: exact\n"
        "models: {m: embedded}\n"
        "policies: [{name: a}, {name: b, system: x}]\n"
        "examples:\n- {input: a, tags: 5}\n- {input: b}\n- {input: b}\n"
    )
    found = faults(lambda: load_study(path))
    assert [line.split(":")[0] for line in found] == ["study.yaml line 5", "study.yaml line 7"]


@pytest.mark.parametrize("judge", [Numeric(), Margin(Numeric())], ids=["scores", "pairs"])
def test_targets_that_a_judge_cannot_use_have_their_line(tmp_path, judge):
    lines = ["q,target", "1+1,2", "1+2,three", "1+3,4", "1+4,five"]
    path = file_of(tmp_path, "sums.csv", lines)
    found = faults(lambda: TextTask(path, judge, {"m": Scripted(lambda request: "2")}))
    assert [line.split(": ", 1)[0] for line in found] == ["sums.csv line 3", "sums.csv line 5"]
    assert "judge 'numeric': the target 'three' of example" in found[0]
    assert found[0].endswith("is not a number.")


def test_targets_of_a_list_and_of_splits():
    clients = {"m": Scripted(lambda request: "2")}
    found = faults(lambda: TextTask([{"q": "a", "target": "b"}, {"q": "c"}], Exact(), clients))
    assert found[0].startswith("example 2: judge 'exact': example")
    split = {"train": [{"q": "a"}], "test": [{"q": "b"}, {"q": "c", "target": "d"}]}
    assert len(faults(lambda: TextTask(split, Exact(), clients))) == 2


def test_a_study_of_a_file_names_the_file(tmp_path):
    file_of(tmp_path, "sums.jsonl", ['{"q": "1+1", "target": "two"}', '{"q": "2", "target": 2}'])
    path = tmp_path / "study.yaml"
    path.write_text(
        "judge: numeric\nmodels: {m: embedded}\nexamples: sums.jsonl\n"
        'policies: [{name: a, prompt: "{q}"}, {name: b, prompt: "{q}!"}]\n'
    )
    study = load_study(path)
    found = faults(lambda: study.task(connect=lambda spec: Scripted(lambda request: "2")))
    assert found == [
        f"sums.jsonl line 1: judge 'numeric': the target 'two' of example "
        f"{study.examples[0].id!r} is not a number."
    ]


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("{type: rubric, rubric: Right, model: m, max_tokens: -5}", "max_tokens is -5"),
        ("{type: rubric, rubric: Right, model: m, temperature: 9.5}", "temperature is 9.5"),
        ("{type: pairwise, model: m, audit: 2}", "audit is 2"),
        ("{type: human_score, scale: [5, 1]}", "the lower first"),
        ("{type: human_score, scale: [1, 1e999]}", "the lower first"),
        ("{type: human, width: 0}", "width is 0"),
        ("{type: numeric, tolerance: -1}", "tolerance is -1"),
        ("{type: margin, score: {type: rubric, model: m, rubric: ''}}", "rubric is empty"),
        ("{type: margin, score: {type: human}}", "gives scores"),
        ("{type: regex, pattern: '('}", "is broken"),
    ],
)
def test_judges_out_of_range_have_their_line(tmp_path, judge, message):
    path = tmp_path / "study.yaml"
    path.write_text(
        f"models: {{m: embedded}}\njudge: {judge}\nexamples: [{{q: a, target: b}}]\n"
        'policies: [{name: a, prompt: "{q}"}, {name: b, prompt: "{q}!"}]\n'
    )
    (found,) = faults(lambda: load_study(path))
    assert found.startswith("study.yaml line 2: ")
    assert message in found
