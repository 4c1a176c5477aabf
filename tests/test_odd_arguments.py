"""Whatever stands where a text, a number or a path is due: refused in words, and in few of them."""

from pathlib import Path

import numpy as np
import pytest

import optimand
from optimand import Budget, FunctionTask, Policy, TextTask
from optimand.core.errors import OptimandError
from optimand.evaluation import judges
from optimand.llm import Scripted, connect
from optimand.llm.openai import OpenAIClient
from optimand.strategies.pick.specs import strategy_from
from optimand.tasks.study import load_study


class Mute:
    def __repr__(self):
        raise ValueError("no text")

    __str__ = __repr__


LONG = "a" * 150_000
ODD = {"long": LONG, "array": np.array(["a", "b"]), "mute": Mute(), "huge": 10**5000}
TASK = FunctionTask(lambda value, example, seed: 0.5)
CLIENT = Scripted(lambda request: "x", name="n")
TEXTS = TextTask([{"q": "1", "target": "x"}], judges.Exact(), {"m": CLIENT})


def policy(**given):
    policies = [Policy(**{"model": "m", "prompt": "{q}", **given}), Policy("m", "{q}!")]
    return optimand.pick(policies, TEXTS, budget=Budget(calls=4))


PLACES = {
    "store": lambda odd: optimand.pick(["a", "b"], TASK, store=odd),
    "baseline": lambda odd: optimand.pick(["a", "b"], TASK, baseline=odd),
    "strategy": lambda odd: optimand.pick(["a", "b"], TASK, strategy=odd),
    "strategy's option": lambda odd: strategy_from(
        {"type": "duel", "space": odd}, ["a", "b"], pairs=True, delta=0.05
    ),
    "need": lambda odd: judges.Contains(need=odd),
    "order": lambda odd: judges.Pairwise(CLIENT, order=odd),
    "base_url": lambda odd: OpenAIClient("m", base_url=odd),
    "key_env": lambda odd: OpenAIClient("m", key_env=odd),
    "judge": lambda odd: judges.judge_from(odd),
    "judge's type": lambda odd: judges.judge_from({"type": odd}),
    "judge's option": lambda odd: judges.judge_from({"type": "exact", "ignore_case": odd}),
    "readout": lambda odd: judges.readout(odd if isinstance(odd, str) else [odd]),
    "limit": lambda odd: Budget(calls=-odd if isinstance(odd, int) else odd),
    "model": lambda odd: policy(model=odd),
    "parser": lambda odd: policy(parser=odd),
    "temperature": lambda odd: policy(temperature=odd),
    "top_p": lambda odd: policy(top_p=odd),
    "max_tokens": lambda odd: policy(max_tokens=odd),
    "client": lambda odd: connect(odd),
    "client's option": lambda odd: connect("openai:m", width=odd),
    "examples": lambda odd: TextTask(odd if isinstance(odd, str) else 5, judges.Exact(), {}),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", PLACES)
def test_odd_values_are_refused_in_few_words(place, odd, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    with pytest.raises(OptimandError) as caught:
        PLACES[place](ODD[odd])
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("value", [None, 5, "x"])
def test_a_judge_that_is_no_mapping_and_items_that_are_none(value):
    with pytest.raises(OptimandError, match="the judge is"):
        judges.judge_from(value)
    with pytest.raises(OptimandError, match="items are"):
        judges.readout(value)
    with pytest.raises(OptimandError, match="key_env of OpenAIClient is 0"):
        OpenAIClient("m", key_env=0)


def test_numbers_of_numpy_are_numbers():
    given = Policy("m", temperature=np.float32(0.5), top_p=np.float64(0.5), max_tokens=np.int64(3))
    plain = Policy("m", temperature=0.5, top_p=0.5, max_tokens=3)
    assert given == plain
    assert given.artifact().id == plain.artifact().id
    assert type(given.max_tokens) is int


STUDY = """policies: [{name: a, prompt: '{input}'}, {name: b, prompt: '{input}!'}]
models: {m: embedded}
examples: [{input: x, target: y}]
judge: exact
"""


@pytest.mark.parametrize(
    "change",
    [
        ("judge: exact", f"judge: {LONG}"),
        ("judge: exact", f"judge: {{type: exact, {LONG[:1000]}: 1}}"),
        ("examples: [{input: x, target: y}]", f"examples: {LONG}"),
        ("judge: exact", f"judge: exact\nstrategy: {LONG}"),
        ("judge: exact", f"judge: exact\nbaseline: {LONG}"),
        ("{name: a,", f"{{name: a, model: {LONG},"),
        ("{name: a,", f"{{name: a, parser: {LONG},"),
    ],
)
def test_long_values_in_a_study_file(tmp_path: Path, change):
    path = tmp_path / "s.yaml"
    path.write_text(STUDY.replace(*change))
    with pytest.raises(OptimandError) as caught:
        load_study(path)
    assert len(str(caught.value)) < 1500
