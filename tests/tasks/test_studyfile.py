import pytest

from optimand.core.errors import InputError
from optimand.tasks.study import load_study

SHORT = """\
policies:
  - {name: a, model: "openai:x", prompt: "{q}"}
  - {name: b, model: "openai:x", prompt: "Q {q}"}
examples:
  - {q: one, target: 1}
  - {q: two, target: 2}
judge: exact
"""


def write(folder, text):
    path = folder / "study.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("judge: exact", "judg: exact", "line 7: judg: unknown field. Did you mean 'judge'"),
        ("judge: exact", "", "line 1: judge: this field is missing"),
        ("judge: exact", "judge: exat", "line 7: no judge 'exat'.*Did you mean 'exact'"),
        (
            "judge: exact",
            "judge: {type: exact, case: no}",
            "line 7: judge 'exact' has no option 'case'",
        ),
        (
            "judge: exact",
            "judge: {type: pairwise}",
            "line 7: judge 'pairwise' needs the option 'model'",
        ),
        (
            "judge: exact",
            "judge: 3",
            "line 7: judge: must be text or a mapping, not 3",
        ),
        (
            "judge: exact",
            "judge: exact\nconfidence: 95",
            "line 8: confidence: must be less than 1, not 95",
        ),
        ("judge: exact", "judge: exact\nseed: a", "line 8: seed: must be a whole number, not 'a'"),
        ("judge: exact", "judge: exact\nbudget:\n  usd: -1", "line 9: budget.usd: must be greater"),
        (
            "judge: exact",
            "judge: exact\nbudget:\n  cals: 1",
            "line 9: budget.cals: unknown field. Did you mean 'calls'",
        ),
        (
            "judge: exact",
            "judge: exact\npopulation: all",
            "line 8: population: must be 'whole' or 'sample'",
        ),
        (
            "judge: exact",
            "judge: exact\nmodels: {m: openai:m}",
            "line 2: the model 'openai:x' is unknown. Known: m",
        ),
        ("judge: exact", "judge: exact\nmodels:\n  m: {x: 1}", "line 9: no field 'client'"),
        ("judge: exact", "judge: exact\njudge: exact", "line 8: the key 'judge' is there twice"),
        ("judge: exact", "judge: [", "line 8"),
        ("Q {q}", "Q {x}", "line 3: policy 'b': prompt uses {x}, but example"),
        ("Q {q}", "Q {q.x}", "line 3: policy 'b': prompt: template line 1"),
        ("Q {q}", "{q}", "line 1: policies 'a' and 'b' are the same"),
        ("name: b", "name: a", "line 3: two policies are named 'a'"),
        (
            "name: b",
            "name: b, temprature: 1",
            r"line 3: policies\[1\].temprature: unknown field. Did you mean 'temperature'",
        ),
        ("name: b", "name: b, temperature: 3", r"line 3: policies\[1\].temperature: must be less"),
        (
            "name: b",
            "name: b, max_tokens: '3'",
            r"policies\[1\].max_tokens: must be a whole number, not '3'",
        ),
        ("name: b", "name: b, parser: numbr", "line 3: no parser 'numbr'"),
        ("judge: exact\n", "judge: exact\nmodels: {x: y, z: y}\n", "line 2: the model"),
        ("name: b, ", "", r"line 3: policies\[1\].name: this field is missing"),
        ("target: 2", "id: x", "line 5: no field 'id'"),
        (
            "examples:\n  - {q: one, target: 1}\n  - {q: two, target: 2}",
            "examples: []",
            "line 4: there are no examples",
        ),
        (
            "examples:\n  - {q: one, target: 1}\n  - {q: two, target: 2}",
            "examples: none.csv",
            "none.csv: cannot be read",
        ),
    ],
)
def test_faults_name_file_line_and_field(tmp_path, old, new, message):
    assert old in SHORT
    with pytest.raises(InputError, match=message.replace("{", r"\{").replace("}", r"\}")) as error:
        load_study(write(tmp_path, SHORT.replace(old, new)))
    if "none.csv" not in message:
        assert str(error.value).startswith("study.yaml line ")


def test_every_fault_is_told_at_once(tmp_path):
    text = SHORT.replace("name: b", "name: b, top_p: 2, temperature: -1") + "seed: x\n"
    with pytest.raises(InputError) as error:
        load_study(write(tmp_path, text))
    assert [line.split(": ")[1] for line in str(error.value).splitlines()] == [
        "policies[1].temperature",
        "policies[1].top_p",
        "seed",
    ]


@pytest.mark.parametrize("text", ["", "3", "- a", "just text"])
def test_a_file_that_is_no_mapping(tmp_path, text):
    with pytest.raises(InputError, match=r"study.yaml line 1: a study file is a mapping"):
        load_study(write(tmp_path, text))


def test_a_policy_names_its_model_where_there_are_several(tmp_path):
    text = SHORT.replace('b, model: "openai:x"', "b") + "models: {'openai:x': x, y: y}\n"
    with pytest.raises(InputError, match=r"study.yaml line 3: no field 'model'. Name one"):
        load_study(write(tmp_path, text))
    one = load_study(write(tmp_path, text.replace(", y: y", "")))
    assert one.policies["b"].model == "openai:x"
