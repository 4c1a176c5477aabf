"""What no constructor can use is refused there, in words, and not with a traceback later."""

import math

import pytest

import optimand
from optimand.core.errors import InputError
from optimand.evaluation import judges
from optimand.evaluation.judges import MemoryDesk
from optimand.llm import (
    Mailbox,
    OpenAIClient,
    Recorder,
    Replay,
    Retries,
    Scripted,
    connect,
)

CLIENT = Scripted(lambda request: "x", name="x")
EXAMPLES = [{"q": "a", "target": "b"}]


def text_task(**given):
    usual = {"examples": EXAMPLES, "judge": judges.Exact(), "clients": {"m": CLIENT}}
    return optimand.TextTask(**(usual | given))


def score(value, example, seed):
    return 0.5


CASES = {
    "clients that are a function": (lambda: text_task(clients=score), "must be a mapping from"),
    "clients that are one client": (lambda: text_task(clients=CLIENT), "must be a mapping from"),
    "a function as client": (lambda: text_task(clients={"m": score}), r"llm\.Scripted\("),
    "answers as client": (lambda: text_task(clients={"m": {"a": "b"}}), "must be a client"),
    "a text as client": (lambda: text_task(clients={"m": "openai:gpt"}), r"llm\.connect\("),
    "a class as client": (lambda: text_task(clients={"m": Scripted}), "class Scripted"),
    "a client without a name": (lambda: text_task(clients={5: CLIENT}), "name of a client is 5"),
    "a text as judge": (lambda: text_task(judge="exact"), r"judges\.Exact\(\)"),
    "a function as judge": (lambda: text_task(judge=score), r"judges\.Function\("),
    "a class as judge": (lambda: text_task(judge=judges.Exact), "class Exact"),
    "examples in number": (lambda: text_task(examples=5), "examples are 5. Give a list"),
    "examples of a split": (lambda: text_task(examples={"test": 5}), "examples are 5"),
    "a population": (lambda: text_task(population="all"), "Use 'whole' or 'sample'"),
    "a task's name": (lambda: text_task(name=5), "name is 5. It must be a text"),
    "no function": (lambda: optimand.FunctionTask("f"), "'f'. It must be a function"),
    "no function to duel": (lambda: optimand.DuelTask(None), "None. It must be a function"),
    "examples of a function": (lambda: optimand.FunctionTask(score, 5), "examples are 5"),
    "one example": (lambda: optimand.FunctionTask(score, {"input": 1}), "Give a list"),
    "examples of a duel": (
        lambda: optimand.DuelTask(lambda a, b, example, seed: 1, 5),
        "examples are 5",
    ),
    "bytes": (lambda: optimand.DuelTask(lambda a, b, example, seed: 1, b"a.jsonl"), "Give a list"),
    "a policy's model": (lambda: optimand.Policy(CLIENT), "must be the name that the task gives"),
    "a policy's prompt": (lambda: optimand.Policy("m", 5), "prompt is 5. It must be a text"),
    "a policy's turns": (lambda: optimand.Policy("m", turns=5), "turns is 5"),
    "a policy's turn": (lambda: optimand.Policy("m", turns=[5]), "turn 1 .* two texts"),
    "a policy's stop": (lambda: optimand.Policy("m", stop=5), "stop is 5"),
    "a policy's parser": (lambda: optimand.Policy("m", parser=5), "parser is 5"),
    "an artifact": (lambda: optimand.Artifact("text"), "must be a mapping"),
    "a candidate": (lambda: optimand.Candidate("text", "a"), "must be an Artifact"),
    "a candidate's name": (
        lambda: optimand.Candidate(optimand.Artifact({"value": 1}), 5),
        "name is 5. It must be a text",
    ),
    "an example's id": (lambda: optimand.Example(5, "q"), "id is 5. It must be a text"),
    "an example's tags": (lambda: optimand.Example("5", "q", tags=5), "tags are 5"),
    "a budget": (lambda: optimand.Budget(calls="9"), "calls must be a number"),
    "a rubric's client": (lambda: judges.Rubric("gpt", "Right?"), r"client is a text.*connect\("),
    "a rubric": (lambda: judges.Rubric(CLIENT, 5), "rubric is 5. It must be a text"),
    "a pair's client": (lambda: judges.Pairwise("gpt"), r"client is a text.*connect\("),
    "criteria": (lambda: judges.Pairwise(CLIENT, criteria=5), "criteria is 5"),
    "a judge's name": (lambda: judges.Exact(name=5), "name is 5"),
    "an option": (lambda: judges.Exact(ignore_case="no"), "It must be true or false"),
    "a pattern": (lambda: judges.Regex(pattern=5), "pattern is 5. It must be a text or None"),
    "a field": (lambda: judges.JsonField(5), "field is 5. It must be a text"),
    "a judge's function": (lambda: judges.Function("f"), "'f'. It must be a function"),
    "a pair's function": (lambda: judges.PairFunction(5), "5. It must be a function"),
    "a margin's judge": (lambda: judges.Margin("exact"), r"judges\.Exact\(\)"),
    "a margin of pairs": (lambda: judges.Margin(judges.Pairwise(CLIENT)), "that gives scores"),
    "a desk": (lambda: judges.Human("desk"), r"judges\.MemoryDesk\(\)"),
    "a client's function": (lambda: Scripted({"a": "b"}), "It must be a function"),
    "a client's width": (lambda: Scripted(lambda request: "", width=0), "width of Scripted is 0"),
    "a mailbox": (lambda: Mailbox(5), "5 is not a path"),
    "a mailbox's width": (lambda: Mailbox("box", width=0), "width of a mailbox is 0"),
    "a mailbox's poll": (lambda: Mailbox("box", poll=0), "poll of a mailbox is 0"),
    "a recorder": (lambda: Recorder("gpt", "calls"), r"is a text.*connect\("),
    "a recording": (lambda: Replay(5), "5 is not a path"),
    "a model": (lambda: OpenAIClient(5), "model of OpenAIClient is 5"),
    "a width": (lambda: OpenAIClient("m", width=0), "width of OpenAIClient is 0"),
    "a price": (lambda: OpenAIClient("m", price=(1, 2)), r"Give optimand\.llm\.Price"),
    "retries": (lambda: OpenAIClient("m", retries=3), r"Give optimand\.llm\.Retries"),
    "attempts": (lambda: Retries(attempts=0), "attempts is 0"),
    "patience": (lambda: Retries(total_timeout=math.inf), "must be a finite number"),
    "a spec": (lambda: connect(5), "spec of a client is 5"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_it_is_and_the_way_out_are_said(case):
    make, message = CASES[case]
    with pytest.raises(InputError, match=message):
        make()


def test_a_text_in_place_of_a_client_is_not_shown():
    with pytest.raises(InputError) as found:
        text_task(clients={"m": "sk-secret-secret"})
    assert "secret" not in str(found.value)


@pytest.mark.parametrize("judge", [judges.Rubric, judges.Pairwise])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 0}, "max_tokens is 0. It must be a whole number from 1"),
        ({"max_tokens": -5}, "max_tokens is -5"),
        ({"max_tokens": 2**31}, "max_tokens is 2147483648"),
        ({"max_tokens": 1.5}, "max_tokens is 1.5"),
        ({"temperature": math.nan}, "temperature is nan"),
        ({"temperature": math.inf}, "temperature is inf"),
        ({"temperature": -1}, "temperature is -1. It must be a number from 0 to 2"),
        ({"temperature": 10**400}, "temperature is 1000"),
        ({"audit": math.nan}, "audit is nan"),
    ],
)
def test_settings_of_a_judge_are_checked_when_it_is_made(judge, options, message):
    about = "Right?"
    with pytest.raises(InputError, match=message):
        judge(CLIENT, about, **options)


@pytest.mark.parametrize(
    "options", [{"max_tokens": 0}, {"temperature": math.nan}, {"top_p": math.inf}, {"stop": [""]}]
)
def test_settings_of_a_policy_are_checked_before_anything_is_spent(options):
    asked = []
    client = Scripted(lambda request: asked.append(request) or "b", name="counts")
    task = text_task(clients={"m": client})
    policies = [optimand.Policy("m", "{q}"), optimand.Policy("m", "{q}!", **options)]
    with pytest.raises(InputError, match=next(iter(options))):
        optimand.pick(policies, task)
    assert not asked


@pytest.mark.parametrize(
    "scale", [(1, math.inf), (-math.inf, 1), (math.nan, 1), (5, 1), (1, 1), (1,), 5, "15", [0, "1"]]
)
def test_a_scale_without_two_ends_in_order_is_refused(scale):
    with pytest.raises(InputError, match=r"scale is .* the lower first"):
        judges.HumanScore(MemoryDesk(), scale=scale)
    with pytest.raises(InputError, match=r"scale is .* the lower first"):
        judges.Rubric(CLIENT, "Right?", scale=scale)


@pytest.mark.parametrize("options", [{"interval": -1}, {"interval": math.nan}, {"width": 0}])
def test_a_person_is_asked_at_times_that_come(options):
    with pytest.raises(InputError, match=next(iter(options))):
        judges.Human(MemoryDesk(), **options)
