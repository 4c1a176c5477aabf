"""`optimand improve`: search, certificate, exit codes, and what the readers say of it."""

import json
import random
import re
import signal
import textwrap

import pytest

STUDY = """
name: polite
models: {m: embedded, w: embedded}
examples: pool.jsonl
judge: exact
store: words.db
seed: 3
budget: {rollouts: 1200}
improve:
  artifact: {model: m, system: Answer., prompt: "{input}", temperature: 1}
  method: {type: gepa, steps: 12}
  proposer: w
  change: [system]
"""


def reply(request):
    """The writer adds a word; the model is right more often the more words there are."""
    said = {m.role: m.content for m in request.messages}
    rng = random.Random(f"{said} {request.seed}")
    if "question" in said["user"][:9]:
        words = said["system"].count("please")
        return "yes" if rng.random() < min(0.9, 0.2 + 0.35 * words) else "no"
    if rng.random() < 0.2:
        return "I cannot."
    shown = re.findall(r'<part name="system">\n(.*?)\n</part>', said["user"], re.DOTALL)
    word = "please" if rng.random() < 0.5 else "now"
    return f'<part name="system">\n{shown[-1]} {word}\n</part>'


@pytest.fixture
def polite(tmp_path, client):
    """A study file that improves a policy; call it with replacements to change its text."""
    client.reply = reply

    def make(*changes, name="polite.yaml", count=600):
        rows = [{"input": f"question {i}", "target": "yes"} for i in range(count)]
        (tmp_path / "pool.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        text = textwrap.dedent(STUDY)
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


def test_proven_is_code_0(run, polite):
    done = run("improve", polite())
    assert re.search(r"reflect \w{6} is proven better than start at confidence 0.95", done.stdout)
    assert "--- system ---\nAnswer." in done.stdout
    assert "certificate" not in done.stdout


def test_not_proven_is_code_3(run, polite, client):
    client.reply = lambda request: "no"
    done = run("improve", polite(), "--quiet", code=3)
    assert "Not certified" in done.stdout
    assert done.stderr == ""


def test_json_alone_is_on_standard_output(run, polite):
    value = json.loads(run("improve", polite(), "--json").stdout)
    assert value["proven"] is True
    assert value["method"] == "gepa"
    assert value["best_parts"]["system"].count("please") >= 1
    assert value["warnings"] == []
    assert value["study"].startswith("polite-")


def test_the_same_command_again_repeats_no_call(run, polite, client):
    first = json.loads(run("improve", polite(), "--json").stdout)

    def refuse(request):
        raise AssertionError("a paid call was repeated")

    client.reply = refuse
    again = json.loads(run("improve", polite(), "--json").stdout)
    assert again["best"] == first["best"]


def test_interrupted_is_code_130_and_goes_on(run, polite, client):
    count = []

    def once_more(request):
        count.append(request)
        if len(count) == 150:
            signal.raise_signal(signal.SIGINT)
        return reply(request)

    client.reply = once_more
    done = run("improve", polite(), code=130)
    assert "the same command again goes on (polite-" in done.stderr
    client.reply = reply
    before = len(count)
    assert "is proven better" in run("improve", polite()).stdout
    assert before >= 150


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: gepa, steps: 12", "type: gepaa", r"line 11: no method 'gepaa'.*Did you mean"),
        ("steps: 12", "stepz: 12", r"line 11: method 'gepa' has no option 'stepz'"),
        ("proposer: w", "proposer: nobody", r"line 12: the model 'nobody' is unknown. Known: m, w"),
        ("  proposer: w\n", "", r"line 9: method 'gepa' asks a model as proposer"),
        ("change: [system]", "change: [sistem]", r"line 13: change: 'sistem' is no text part"),
        ("judge: exact", "judge: {type: margin, score: exact}", r"line 5: improving needs scores"),
        ("model: m", "model: n", r"line 10: the model 'n' is unknown"),
        ("{input}", "{question}", r"line 10: the artifact to improve: prompt uses \{question\}"),
        ("change: [system]", "chance: [system]", r"line 13: improve.chance: unknown field."),
        ("judge: exact\n", "", r"line 2: judge: this field is missing"),
        ("pool.jsonl", "[{input: a, target: b}]", r"line 4: task 'polite' has 1 examples"),
    ],
)
def test_faults_name_the_line(run, polite, old, new, message):
    done = run("improve", polite((old, new)), code=2)
    assert re.search(message, done.stderr), done.stderr
    assert done.stdout == ""


def test_each_verb_names_the_other(run, polite, study):
    done = run("pick", polite(), code=2)
    assert "line 9: this study improves one artifact" in done.stderr
    assert "Run `optimand improve polite.yaml`" in done.stderr
    done = run("improve", study(), code=2)
    assert "no field 'improve'. To pick among policies run `optimand pick`" in done.stderr


def test_splits_from_files(run, polite, tmp_path):
    path = polite(("pool.jsonl", "{train: train.jsonl, val: val.jsonl, test: pool.jsonl}"))
    for name in ("train", "val"):
        rows = [{"input": f"question {name} {i}", "target": "yes"} for i in range(20)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert "is proven better" in run("improve", path).stdout
    again = polite(("pool.jsonl", "{train: pool.jsonl, test: pool.jsonl}"))
    assert "is in train and in test" in run("improve", again, code=2).stderr


def test_a_function_runs_named_texts(run, polite, tmp_path):
    (tmp_path / "shop.py").write_text(
        "import random\n"
        "def serve(texts, example, seed):\n"
        "    rate = min(0.9, 0.2 + 0.35 * texts['system'].count('please'))\n"
        "    return float(random.Random(f'{texts} {example.id}').random() < rate)\n"
    )
    path = polite(
        ("judge: exact\n", ""),
        ("models: {m: embedded, w: embedded}", "models: {w: embedded}"),
        (
            'artifact: {model: m, system: Answer., prompt: "{input}", temperature: 1}',
            "artifact: {system: Answer., footer: Bye.}\n  run: shop:serve",
        ),
    )
    assert "is proven better" in run("improve", path).stdout
    (tmp_path / "shop.py").write_text("")
    done = run("improve", path, code=2)
    assert "line 10: " in done.stderr
    assert "has no function 'serve'" in done.stderr


def test_a_function_keeps_the_splits_of_the_file(run, polite, tmp_path):
    (tmp_path / "shop.py").write_text(
        "def serve(texts, example, seed):\n    return float('please' in texts['system'])\n"
    )
    for name, count in (("train", 20), ("val", 10), ("test", 40)):
        rows = [{"id": f"{name}{i}", "input": i} for i in range(count)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    path = polite(
        ("judge: exact\n", ""),
        ("models: {m: embedded, w: embedded}", "models: {w: embedded}"),
        (
            'artifact: {model: m, system: Answer., prompt: "{input}", temperature: 1}',
            "artifact: {system: Answer.}\n  run: shop:serve",
        ),
        ("pool.jsonl", "{train: train.jsonl, val: val.jsonl, test: test.jsonl}"),
    )
    value = json.loads(run("improve", path, "--json").stdout)
    assert value["proven"]
    assert value["front"] == [value["best"]]


def test_what_was_kept_stays_kept_when_it_is_proposed_again(run, polite, client):
    said = []

    def repeated(request):
        if "question" in request.messages[-1].content[:9]:
            return reply(request)
        said.append(1)
        return '<part name="system">\nAnswer. please please\n</part>'

    client.reply = repeated
    run("improve", polite())
    assert len(said) > 1
    rows = [
        json.loads(line)
        for line in run("export", "polite.yaml", "--what", "candidates").stdout.splitlines()
    ]
    best = next(row for row in rows if row["best"])
    assert best["kept"] is True
    assert best["why"] == ""


def test_the_readers_know_improvements(run, polite):
    run("improve", polite())
    done = run("list", "words.db")
    assert "improve: proven" in done.stdout
    shown = run("show", "polite.yaml").stdout
    assert re.search(r"polite-\w+: reflect \w+ is proven better than start: gain \+0", shown)
    assert re.search(r"start > reflect \w{6}", shown)
    value = json.loads(run("show", "polite.yaml", "--json").stdout)
    assert value["state"] == "proven"
    assert value["method"]["type"] == "gepa"
    assert value["best_parts"]["system"].startswith("Answer.")
    assert value["reasons"]
    run("report", "polite.yaml", "-o", "out.html")
    done = run("improve", polite(), "--report", "again.html")
    assert "Report: again.html" in done.stdout


def test_candidates_with_their_texts_are_exported(run, polite):
    run("improve", polite())
    lines = run("export", "polite.yaml", "--what", "candidates").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert rows[0]["name"] == "start"
    assert rows[0]["kept"] is True
    assert sum(row["best"] for row in rows) == 1
    assert all(row["parts"]["system"].startswith("Answer.") for row in rows)
    best = next(row for row in rows if row["best"])
    assert best["val"] > rows[0]["val"]
    assert best["parents"]
    assert any(row["why"] and not row["kept"] for row in rows)
    table = run("export", "polite.yaml", "--what", "candidates", "--format", "csv").stdout
    assert table.startswith('"candidate","name","operator"')
    records = run("export", "polite.yaml").stdout.splitlines()
    named = {json.loads(line)["name"] for line in records}
    assert best["name"] in named


def test_candidates_of_a_pick_are_exported_too(run, study):
    run("pick", study())
    lines = run("export", "study.yaml", "--what", "candidates").stdout.splitlines()
    assert {json.loads(line)["parts"]["system"] for line in lines} == {"good", "poor", "odd"}


def test_an_improvement_that_has_not_run(run, polite):
    done = run("show", polite(), code=2)
    assert "`optimand improve" in done.stderr
    assert "words.db: no such store" in done.stderr


def test_doctor_checks_an_improvement(run, polite):
    far = ("{m: embedded, w: embedded}", "{m: 'openai:m', w: 'openai:w'}")
    said = {c["what"]: c for c in json.loads(run("doctor", polite(far), "--json").stdout)}
    assert said["study"]["text"] == "one artifact to improve, examples: 600"
    assert said["method"]["state"] == "ok"
    assert "`optimand improve` makes it" in said["store"]["text"]
    found = json.loads(run("doctor", polite(far, ("gepa", "gepaa")), "--json", code=2).stdout)
    (fault,) = [c for c in found if c["what"] == "method"]
    assert "line 11: no method 'gepaa'" in fault["text"]


def test_warnings_are_told(run, polite, client):
    phrase = "Please think well before you answer."

    def eager(request):
        said = {m.role: m.content for m in request.messages}
        if "question" in said["user"][:9]:
            return "yes" if phrase in said["system"] else "no"
        return f'<part name="system">\n{phrase} {phrase} {phrase}\n</part>'

    client.reply = eager
    done = run("improve", polite())
    assert "Warning: reflect" in done.stdout
    assert "says the same 3 times" in done.stdout
    assert "Warning: reflect" in run("show", "polite.yaml").stdout


def test_a_role_may_have_a_model_of_its_own(run, polite):
    change = ("proposer: w", "proposer: {proposer: {client: 'openai:big'}}")
    assert "is proven better" in run("improve", polite(change)).stdout
