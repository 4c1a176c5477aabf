"""Whatever a study file holds, it is a study or an error that says what is wrong."""

import itertools
import os
import subprocess
import sys

import pytest
import yaml

from optimand.core.errors import InputError, SetupError
from optimand.tasks.examples import load_examples
from optimand.tasks.study import load_study
from optimand.tasks.yamlfile import parse_yaml

GOOD = {
    "name": "s",
    "models": {"m": "mailbox:box"},
    "policies": [{"name": "a", "prompt": "{input}"}, {"name": "b", "prompt": "Q {input}"}],
    "examples": [{"input": "x", "target": "1"}, {"input": "y", "target": "2"}],
    "judge": {"type": "contains"},
}
HUGE = "1" + "0" * 400
ODD = [
    *("null", "true", "-1", "1.5", ".nan", "1e999", HUGE, "-" + HUGE, "''", "'\\'", '"a\\0b"'),
    *('"\\ud800"', '"\\ud83d\\ude00"', "[]", "{}", "[[]]", "[null]", "{5: 1}", "{type: []}", "' '"),
    *("{type: 5}", "{type: {}}", "&a [*a]", "&a {type: margin, score: *a}", "!!binary aGk=", "x"),
    *("!!timestamp x", "!!int ''", "!!bool x", "!!float x", "!!set {a}", "!!omap [a: 1]", "a@b:c"),
    *("{client: []}", "{name: [], prompt: {}}", "[{name: a}, 5]", "{a: &x [1], b: *x}", "? [a]"),
    *("'{'", "'{input'", "[5, x]", "[.nan]", "{<<: 5}", "{<<: [{a: 1}]}", "{? [a] : b}", "../x"),
]
FIELDS = [
    *("name", "models", "policies", "grid", "examples", "judge", "confidence", "budget", "foo"),
    *("indifference", "strategy", "seed", "store", "population"),
]
NESTED = {
    "models": ["m"],
    "budget": ["calls", "tokens", "usd", "seconds", "rollouts", "comparisons", "steps"],
    "grid": ["prompts", "systems", "models", "temperatures", "parser", "turns", "stop"],
}
CLIENTS = {
    "openai:x@http://h/v1": [
        *("client", "base_url", "key_env", "width", "per_minute", "price", "attempts", "record"),
        *("attempt_timeout", "total_timeout"),
    ],
    "mailbox:box": ["width", "poll", "timeout"],
    "replay:none": ["x"],
}
JUDGES = {
    "exact": ["ignore_case", "name"],
    "contains": ["need"],
    "numeric": ["tolerance", "relative"],
    "regex": ["pattern", "full"],
    "json_field": ["field"],
    "function": ["function"],
    "margin": ["score", "margin"],
    "rubric": ["model", "rubric", "scale", "audit", "temperature"],
    "pairwise": ["model", "criteria", "order", "audit"],
    "nope": ["x"],
}
PARSERS = {
    "regex": ["pattern", "group"],
    "number": ["which"],
    "json_field": ["field"],
    "choice": ["choices"],
    "text": ["x"],
}
STRATEGIES = {
    "race": ["x"],
    "duel": ["space", "features", "assume", "check"],
    "llm-po": ["space", "features", "tracking", "threshold"],
}
POLICY = ["name", "model", "prompt", "system", "turns", "temperature", "top_p", "max_tokens"]
POLICY += ["stop", "parser"]


def flow(**fields):
    return "{" + ", ".join(f"{name}: {value}" for name, value in fields.items()) + "}"


def odd_option(kind, name, **more):
    return flow(**({"type": kind} | more | {name: "HERE"}))


def policies(**fields):
    return {"policies": f"[{flow(**({'name': 'a'} | fields))}, {{name: b, prompt: x}}]"}


PAIRWISE = {"judge": "{type: pairwise, model: m}"}
LINEAR = PAIRWISE | {"strategy": "{type: duel, space: linear, features: HERE}"}
PLACES = [
    *({field: "HERE"} for field in FIELDS),
    *({field: flow(**{name: "HERE"})} for field, names in NESTED.items() for name in names),
    *(
        {"models": flow(m=flow(**({"client": f"'{client}'"} | {name: "HERE"})))}
        for client, names in CLIENTS.items()
        for name in names
    ),
    *({"judge": odd_option(kind, name)} for kind, names in JUDGES.items() for name in names),
    {"judge": "{type: margin, score: exact, margin: HERE}"},
    {"judge": "{type: rubric, model: m, rubric: x, scale: [HERE, 5]}"},
    *(
        policies(parser=odd_option(kind, name, **({"pattern": "(a)"} if kind == "regex" else {})))
        for kind, names in PARSERS.items()
        for name in names
    ),
    *(policies(**{name: "HERE"}) for name in POLICY),
    *(
        (PAIRWISE if kind != "race" else {}) | {"strategy": odd_option(kind, name)}
        for kind, names in STRATEGIES.items()
        for name in names
    ),
    LINEAR,
    LINEAR | {"strategy": "{type: llm-po, space: linear, features: {a: HERE, b: HERE}}"},
    *({"examples": f"[{{input: q, {name}: HERE}}]"} for name in ("id", "target", "tags")),
    {"examples": "[{input: HERE}, HERE]"},
]
"""The text of fields, with HERE for an odd value."""


def cases():
    yield {}
    for place, odd in itertools.product(PLACES, ODD):
        yield {field: text.replace("HERE", odd) for field, text in place.items()}
    for pattern in ("'('", "'a{99999999999999999}'", "5"):
        yield {"judge": flow(type="regex", pattern=pattern)}
        yield policies(parser=flow(type="regex", pattern=pattern))


def text_of(changed):
    good = {name: yaml.safe_dump(value, default_flow_style=True) for name, value in GOOD.items()}
    lines = {name: value.removesuffix("...\n").strip() for name, value in good.items()} | changed
    return "".join(f"{name}: {value}\n" for name, value in lines.items())


def test_odd_values_are_read_or_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "s.yaml"
    read = 0
    for number, changed in enumerate(cases()):
        path.write_text(text_of(changed))
        try:
            study = load_study(path)
            study.candidates()
            study.task()
        except (InputError, SetupError):
            continue
        except Exception as error:
            raise AssertionError(f"case {number}: {changed}") from error
        read += 1
    assert read > 20


RAW = [
    *("", "\0", "\tx: 1", "x: \x07", "- 1", "hello", "*x", "&a [*a]", "[" * 3000, "{a: " * 3000),
    *(
        "? [a, b]\n: 1",
        "? {a: b}\n: 1",
        "null: 1",
        "5: 1",
        "a: 1\n---\nb: 2",
        "!!set {a, b}",
        "- - -",
    ),
    *(
        "!!python/object/apply:os.system ['id']",
        "!!omap [a: 1]",
        "!!timestamp 2020-99-99",
        "%YAML 9",
    ),
    *('"\\UFFFFFFFF"', "a: !!int ''", "!<x> y", "&a a: *a", "a: &a {b: *a}", "<<: *x", "? &a [*a]"),
]


@pytest.mark.parametrize("raw", RAW)
def test_a_text_that_is_no_study_is_refused(raw, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(raw)
    with pytest.raises(InputError, match=r"s\.yaml"):
        load_study(path)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"name: \xe9", "name: x".encode("utf-16")])
def test_bytes_that_are_no_text_are_refused(data, tmp_path):
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError, match="is not UTF-8"):
        load_study(path)


def laughs(depth, width=10):
    parts = ["x", *(f"*l{level}" for level in range(depth - 1))]
    return "\n".join(f"- &l{n} [{', '.join([part] * width)}]" for n, part in enumerate(parts))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (laughs(10), "line [0-9]+: aliases .* more than a million values"),
        (f"- &t {'x' * 1_000_000}\n" + "- *t\n" * 200, "line 1: aliases .* more than a million"),
        ("- &a {x: 1}\n- &b {<<: [*a, *a]}\n- {c: *b, d: &c [*c]}", "line 3: an alias .* part of"),
        ("- a: 1\n- b: &b\n    c: *b", "line 2: an alias .* part of"),
        ("- a\n- \x07", "line 2: the character U\\+0007 is not allowed"),
        ('- a\n- "\\ud83d"', "line 2: a text holds half of a surrogate pair"),
        ("[" * 5000, "nested too deep"),
        ("- !!bool x", "cannot be read"),
    ],
)
def test_what_yaml_must_not_hold(text, said):
    with pytest.raises(InputError, match=f"e.yaml:? {said}|e.yaml: .*{said}"):
        parse_yaml(text, "e.yaml")


def test_merged_aliases_are_counted():
    lines = ["a0: &c0 {x: 1}"]
    lines += [f"a{n}: &c{n} {{<<: [{', '.join([f'*c{n - 1}'] * 9)}]}}" for n in range(1, 9)]
    with pytest.raises(InputError, match="more than a million"):
        parse_yaml("\n".join(lines), "e.yaml")


def test_aliases_that_stand_for_little_are_fine():
    value, _ = parse_yaml(laughs(5), "e.yaml")
    assert value[4][9][9][9][9][9] == "x"
    many = "\n".join(f"- [{n}]" for n in range(20_000))
    assert len(parse_yaml(many, "e.yaml")[0]) == 20_000


def test_a_pair_of_surrogates_is_one_character_everywhere(tmp_path):
    pair = '"\\ud83d\\ude00 {input}"'
    path = tmp_path / "s.yaml"
    path.write_text(
        text_of(
            {
                "examples": f"[{{input: {pair}, target: x}}]",
                "policies": f"[{{name: {pair}, prompt: {pair}}}, {{name: b, prompt: x}}]",
            }
        )
    )
    study = load_study(path)
    assert study.examples[0].input == "😀 {input}"
    assert study.policies["😀 {input}"].prompt == "😀 {input}"


@pytest.mark.parametrize("name", ["a\0b.jsonl", "a\0b.yaml", "\ud800.jsonl", "x" * 5000 + ".csv"])
def test_a_path_that_no_file_has_is_refused(name):
    with pytest.raises(InputError, match="cannot be read"):
        load_examples(name)


def test_a_bomb_is_refused_at_once(tmp_path):
    (tmp_path / "s.yaml").write_text(text_of({"examples": "\n" + laughs(30)}))
    code = "import sys; from optimand.tasks.study import load_study; load_study(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s.yaml")],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert "more than a million" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("budget: 30", "budget: must be a mapping, such as {rollouts: 30}, not 30"),
        ("grid: x", "grid: must be a mapping, such as {prompts: {short: "),
        ("warm_start: old", "warm_start: must be a mapping, such as {study: "),
        ("policies: [5]", "policies[0]: must be a mapping, such as {name: "),
    ],
)
def test_what_should_be_a_mapping_is_said_without_names_of_ours(tmp_path, text, said):
    file = tmp_path / "s.yaml"
    file.write_text(f"examples: [{{input: a}}]\njudge: exact\n{text}\n")
    with pytest.raises(InputError) as error:
        load_study(file)
    assert said in str(error.value)
    assert "Form" not in str(error.value)
