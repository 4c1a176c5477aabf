import asyncio

import pytest

from optimand.artifacts.policy import Policy
from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.model import Reply
from optimand.core.record import Usage
from optimand.core.task import Task
from optimand.evaluation.judges import Exact, Pairwise
from optimand.tasks.text import TextTask

EXAMPLES = [Example("e1", {"q": "1+1"}, "2"), Example("e2", {"q": "2+2"}, "4")]


class Model:
    width = 3

    def __init__(self, reply="It is 2", name="model"):
        self.reply, self.name, self.requests, self.closed = reply, name, [], 0

    async def complete(self, request):
        self.requests.append(request)
        if isinstance(self.reply, Reply):
            return self.reply
        return Reply(self.reply, usage=Usage(calls=1), seconds=0.5)

    async def close(self):
        self.closed += 1


def execute(model, policy, seed=3, **options):
    task = TextTask(EXAMPLES, Exact(), {"m": model}, **options)
    return asyncio.run(task.execute(policy.candidate("p"), task.splits["all"][0], seed))


def test_a_policy_is_filled_called_and_parsed():
    model = Model()
    policy = Policy("m", "Q: {q}", system="Count.", temperature=0.5, parser="number")
    record = execute(model, policy)
    assert (record.candidate, record.example, record.status) == (policy.artifact().id, "e1", "ok")
    assert record.output == 2.0
    assert record.score is None
    assert record.trace == {"finish": "stop", "text": "It is 2"}
    assert (record.usage.calls, record.seconds) == (1, 0.5)
    sent = model.requests[0]
    assert [m.content for m in sent.messages] == ["Count.", "Q: 1+1"]
    assert sent.temperature == 0.5


def test_the_reply_is_kept_once_and_messages_only_on_request():
    record = execute(Model(), Policy("m", "Q: {q}"))
    assert (record.output, record.trace) == ("It is 2", {"finish": "stop"})
    record = execute(Model(), Policy("m", "Q: {q}"), keep_messages=True)
    assert record.trace["messages"] == [["user", "Q: 1+1"]]


def test_the_models_seed_follows_the_engines_alone():
    model = Model()
    for policy, seed in (
        (Policy("m", "{q}"), 1),
        (Policy("m", "Q {q}"), 1),
        (Policy("m", "{q}"), 2),
    ):
        execute(model, policy, seed)
    seeds = [request.seed for request in model.requests]
    assert seeds[0] == seeds[1] != seeds[2]


@pytest.mark.parametrize(
    ("reply", "status", "feedback"),
    [
        (Reply("", status="unknown", error="503"), "unknown", "503"),
        (Reply("", status="invalid", error="too long"), "invalid", "too long"),
        (Reply("none"), "invalid", "no number"),
        (Reply("none", finish="length"), "invalid", "cut at max_tokens"),
    ],
)
def test_failures_are_statuses(reply, status, feedback):
    record = execute(Model(reply), Policy("m", "{q}", parser="number"))
    assert record.status == status
    assert feedback in record.feedback
    assert record.output == reply.text


def test_an_invalid_reply_is_scored_zero_by_the_judge():
    record = execute(Model("none"), Policy("m", "{q}", parser="number"))
    assert Exact().score(EXAMPLES[0], record, 0).value == 0


def task(**clients):
    return TextTask(EXAMPLES, Exact(), clients or {"small": Model()})


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy("smal", "{q}"), "model 'smal' is unknown. Known: small. Did you mean 'small'"),
        (Policy("small", "{x}"), "uses {x}"),
        (Policy("small", "{q}", temperature=3), "temperature"),
        (Policy("small", "{q}", parser="numbr"), "no parser 'numbr'"),
        (Policy("small", ""), "prompt is empty"),
    ],
)
def test_check_finds_faults_before_anything_is_spent(policy, message):
    complaints = task().check(policy.artifact())
    assert len(complaints) == 1
    assert message in complaints[0]


def test_check_of_sound_and_of_other_artifacts():
    assert task().check(Policy("small", "{q}").artifact()) == []
    assert "no part 'model'" in task().check(Artifact({"x": 1}))[0]
    with pytest.raises(InputError, match="unknown"):
        asyncio.run(task().execute(Candidate(Policy("x", "{q}").artifact(), "p"), EXAMPLES[0], 0))


def test_review_of_a_pool():
    pool = [Policy("small", "{q}").candidate("a"), Policy("big", "{x}").candidate("b")]
    found = [str(c) for c in task().review(pool)]
    assert len(found) == 2
    assert any("'b'" in text and "uses {x}" in text for text in found)
    assert any("'b'" in text and "model 'big' is unknown" in text for text in found)


def test_a_task_is_a_task():
    assert isinstance(task(), Task)
    assert task(a=Model(), b=Model(name="other")).width == 6
    assert task(a=Model(), b=Model()).width == 3
    one = task(a=Model()).fingerprint()
    assert one == task(a=Model()).fingerprint()
    assert one != task(a=Model(name="other")).fingerprint() != task(b=Model()).fingerprint()


def test_splits_and_paths(tmp_path):
    path = tmp_path / "e.jsonl"
    path.write_text('{"input": "x", "target": "y"}\n')
    made = TextTask({"train": path, "test": EXAMPLES}, Exact(), {})
    assert list(made.splits) == ["train", "test"]
    assert made.splits["train"][0].input == "x"
    assert len(TextTask(str(path), Exact(), {}).splits["all"]) == 1
    with pytest.raises(InputError, match="splits are 'dev'"):
        TextTask({"dev": path}, Exact(), {})


def test_examples_that_the_judge_cannot_use_are_refused():
    with pytest.raises(InputError, match="example 'e3' has no target"):
        TextTask([*EXAMPLES, Example("e3", {"q": "?"})], Exact(), {})


def test_close_closes_every_client_once():
    shared, own = Model(), Model()
    made = TextTask(EXAMPLES, Pairwise(own), {"a": shared, "b": shared})
    asyncio.run(made.close())
    assert (shared.closed, own.closed) == (1, 1)
