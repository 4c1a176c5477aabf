"""A study to be killed: `python kill_study.py KIND WIDTH STORE CALLS` notes each call it makes."""

import json
import os
import random
import sys
import time

import optimand

RATES = {"a": 0.52, "b": 0.5, "c": 0.48}
CLEAR = {"a": 0.8, "b": 0.5, "c": 0.3}
BUDGET = 240
EXECUTION_SECONDS = 0.008


def study(kind, width, store, note):
    """Pick among near-ties until the budget is spent, or a clear best; `note` gets each call."""
    kind, _, clear = kind.partition(" ")
    rates = CLEAR if clear else RATES

    def score(value, example, seed):
        note(f"{value} {example.id}")
        return float(random.Random(f"{value} {seed}").random() < rates[value])

    def compare(a, b, example, seed):
        note(" ".join([*sorted([a, b]), example.id]))
        return float(random.Random(f"{a} {b} {seed}").random() < 0.5 + (rates[a] - rates[b]) / 2)

    if kind == "race":
        task, limit = optimand.FunctionTask(score, width=width), "rollouts"
    else:
        task, limit = optimand.DuelTask(compare, width=width), "comparisons"
    budget = None if clear else optimand.Budget(**{limit: BUDGET})
    return optimand.pick(list(RATES), task, store=store, budget=budget, confidence=0.999)


def main():
    kind, width, store, calls = sys.argv[1:]
    handle = os.open(calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(call):
        os.write(handle, f"{call}\n".encode())
        time.sleep(EXECUTION_SECONDS * (0.5 + random.random()))

    result = study(kind, int(width), store, note)
    sys.stdout.write(json.dumps(result.verdict.to_json()))


if __name__ == "__main__":
    main()
