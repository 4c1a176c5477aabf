import json

import pytest

from optimand.core.errors import InputError
from optimand.evaluation import judges
from optimand.evaluation.judges import JUDGES, MemoryDesk, check_judge, judge_from, judge_to

MAPPINGS = [
    {"type": "exact", "ignore_case": False},
    {"type": "contains", "need": "all"},
    {"type": "numeric", "tolerance": 1},
    {"type": "regex", "pattern": "x"},
    {"type": "regex"},
    {"type": "json_field", "field": "a"},
    {"type": "function", "function": "difflib:get_close_matches", "name": "mine"},
    {"type": "pair_function", "function": "difflib:get_close_matches"},
    {"type": "margin", "score": {"type": "exact"}, "margin": 0.1},
    {"type": "rubric", "model": "big", "rubric": "Right?", "scale": [0, 10]},
    {"type": "pairwise", "model": "big", "order": "both", "audit": 0.2, "temperature": 0},
    {"type": "human", "criteria": "Wit?"},
    {"type": "human_score", "scale": [0, 1.5]},
]


@pytest.fixture
def clients(tools):
    return {"big": tools.FakeClient(lambda request, number: "A", "endpoint/big")}


@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda mapping: mapping["type"])
def test_there_and_back(clients, mapping):
    desk = MemoryDesk()
    judge = judge_from(mapping, clients=clients, desk=desk)
    written = judge_to(judge, clients)
    assert json.loads(json.dumps(written)) == mapping
    again = judge_from(written, clients=clients, desk=desk)
    assert again == judge
    assert again.fingerprint() == judge.fingerprint()


def test_every_judge_is_tested():
    assert {mapping["type"] for mapping in MAPPINGS} == set(JUDGES)


def test_public_names_exist():
    assert all(getattr(judges, name) is not None for name in judges.__all__)
    with pytest.raises(AttributeError):
        _ = judges.nothing


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"type": "exat"}, "Did you mean 'exact'"),
        ({}, "no judge None"),
        ({"type": ["exact"]}, "no judge"),
        ({"type": "exact", "ignore_cas": True}, "Did you mean 'ignore_case'"),
        ({"type": "exact", "kind": "score"}, "no option 'kind'"),
        ({"type": "exact", "ignore_case": "yes"}, "ignore_case is 'yes'"),
        ({"type": "exact", "ignore_case": 1}, "ignore_case is 1"),
        ({"type": "numeric", "tolerance": True}, "tolerance is True"),
        ({"type": "rubric", "model": "big", "rubric": "r", "scale": [1]}, "scale is"),
        ({"type": "rubric", "model": "big", "rubric": "r", "scale": [1, 2.5]}, "scale is"),
        ({"type": "rubric", "model": "big"}, "needs the option 'rubric'"),
        ({"type": "pairwise"}, "needs the option 'model'"),
        ({"type": "pairwise", "model": "bg"}, "model 'bg' is unknown. Known: big. Did you mean"),
        ({"type": "pairwise", "model": ["big"]}, "unknown"),
        ({"type": "pairwise", "model": "big", "order": "fixed"}, "order is 'fixed'"),
        ({"type": "pairwise", "model": "big", "max_tokens": "9"}, "max_tokens is"),
        ({"type": "margin", "score": {"type": "exac"}}, "Did you mean 'exact'"),
        ({"type": "margin", "score": 3}, "score is 3"),
        ({"type": "human"}, "needs a desk"),
        ({"type": "human", "desk": 1}, "no option 'desk'"),
        ({"type": "function", "function": 3}, "Write module:function"),
    ],
)
def test_faults_are_named(clients, mapping, message):
    with pytest.raises(InputError, match=message):
        judge_from(mapping, clients=clients)


def test_a_check_needs_no_clients_and_runs_no_code():
    check_judge({"type": "pairwise", "model": "any"})
    check_judge({"type": "function", "function": "nothing_like_it:f"})
    check_judge({"type": "margin", "score": "exact"})


def test_what_no_file_can_name(clients):
    with pytest.raises(InputError, match="cannot be named"):
        judge_to(judges.Function(lambda output, example: 1))
    with pytest.raises(InputError, match="not a judge"):
        judge_to(object())
    assert judge_to(judges.Pairwise(clients["big"]))["model"] == "endpoint/big"
