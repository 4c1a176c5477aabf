"""Whole picks through an endpoint that fails in every way."""

import json
import random

import pytest
from tests.llm.endpoint import Endpoint
from tests.llm.faketime import FakeTime

import optimand
from optimand.evaluation.judges import Exact
from optimand.llm import OpenAIClient, Price
from optimand.storage.sqlite import SqliteStore

RATES = {"Guess": 0.3, "Think": 0.9, "Hope": 0.5}
PRICE = Price(1.0, 2.0)
FAILURES = [429, 500, 503, "drop", "cut", "garbage", "empty", "error_within"]


def answer(body):
    """Right with the rate of the policy that asks; the same for the same question and seed."""
    text = body["messages"][-1]["content"]
    right = random.Random(f"{text}{body['seed']}").random() < RATES[text.partition(":")[0]]
    return text.split()[-1] if right else "wrong"


def policies():
    return [optimand.Policy("m", f"{way}: {{word}}") for way in RATES]


def task_of(endpoint, width, attempts=20):
    retries = FakeTime().retries(attempts=attempts, attempt_timeout=1.0)
    client = OpenAIClient("m", base_url=endpoint.url, width=width, price=PRICE, retries=retries)
    examples = [{"word": f"w{n}", "target": f"w{n}"} for n in range(400)]
    return optimand.TextTask(examples, Exact(), {"m": client})


def stormy(count):
    """Every failure, several times, among calls that go well."""
    faults = ["hang", *FAILURES * 3, *["fine"] * count]
    random.Random(5).shuffle(faults)
    return faults


@pytest.mark.parametrize(
    ("width", "budget", "reason"),
    [(1, None, "separated"), (6, optimand.Budget(rollouts=40), "budget")],
)
def test_the_verdict_is_right_and_every_billed_call_is_counted_once(width, budget, reason):
    with Endpoint(answer, faults=stormy(30)) as endpoint:
        result = optimand.pick(policies(), task_of(endpoint, width), budget=budget)
    assert result.reason == reason
    assert result.ranking[0][0].artifact.parts["prompt"] == "Think: {word}"
    assert not endpoint.faults  # all of them happened
    bill = endpoint.bill
    assert bill.unpriced == 3  # the garbled ones
    assert result.spent["calls"] == bill.calls
    assert result.spent["tokens"] == bill.tokens
    assert result.spent["usd"] == pytest.approx((bill.input_tokens + 2 * bill.output_tokens) / 1e6)


def test_an_outage_ends_undecided_and_the_same_call_goes_on_after(tmp_path):
    answered = []

    def noted(body):
        answered.append(json.dumps(body))
        if len(answered) == 25:
            endpoint.always = "drop"
        return answer(body)

    with Endpoint(noted) as endpoint:
        task = task_of(endpoint, width=6, attempts=2)

        def pick():
            store = SqliteStore(tmp_path / "runs.db")
            try:
                return optimand.pick(policies(), task, store=store)
            finally:
                store.close()

        first = pick()
        assert (first.decided, first.reason) == (False, "unavailable")
        assert "the connection failed" in first.verdict.detail
        before = len(answered)
        assert 25 <= before < 40
        endpoint.always = None
        second = pick()
    assert second.decided
    assert second.best.artifact.parts["prompt"] == "Think: {word}"
    assert len(answered) > before
    assert len(set(answered)) == len(answered)  # nothing was paid for twice
