import asyncio
import random
from contextlib import closing
from html.parser import HTMLParser

import optimand
from optimand.core.errors import ServiceUnavailable
from optimand.core.record import Judgement
from optimand.core.store import Event
from optimand.llm.scripted import Scripted
from optimand.report.page import render
from optimand.statistics.duel import DuelOptions
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.race import ScoreRace

VOID = {"meta", "br", "hr", "img", "input", "link", "col"}


class Page(HTMLParser):
    """Checks that every element is closed in order; keeps elements and texts for tests."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.words = [], [], []
        self.ids = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        assert len(attrs) == len(dict(attrs)), f"an attribute twice in {tag}: {attrs}"
        if "id" in dict(attrs):
            self.ids.append(dict(attrs)["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> out of order"

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def tags(self):
        return {tag for tag, _ in self.elements}


def page_of(store, study=None):
    """The parsed page of a study, by default the store's only one."""
    infos = store.studies()
    info = next(i for i in infos if study in (None, i.name))
    with closing(store.read(info.name)) as journal:
        return Page(render(info, journal))


def coin(rates):
    def score(value, example, seed):
        return float(random.Random(f"{value}{example.id}{seed}").random() < rates[value])

    return score


def separated(store):
    rates = {"low": 0.2, "high": 0.9, "mid": 0.3}
    return optimand.pick(list(rates), optimand.FunctionTask(coin(rates)), store=store)


def tied(store):
    task = optimand.FunctionTask(
        lambda value, example, seed: 0.5, [{"input": i} for i in range(6)], population="whole"
    )
    return optimand.pick(["one", "two"], task, store=store)


def indifferent(store):
    rates = {"a": 0.5, "b": 0.5}
    rule = ScoreRace(0.05, 0.4)
    return optimand.pick(
        list(rates), optimand.FunctionTask(coin(rates)), store=store, strategy=rule
    )


def cycle(store):
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    task = optimand.DuelTask(lambda a, b, example, seed: float((a, b) in beats))
    rule = Duel(DuelOptions(0.05))
    return optimand.pick(["rock", "paper", "scissors"], task, store=store, strategy=rule)


def budget(store):
    limit = optimand.Budget(rollouts=12)
    rates = {"a": 0.5, "b": 0.5}
    return optimand.pick(list(rates), optimand.FunctionTask(coin(rates)), store=store, budget=limit)


def exhausted(store):
    rates = {"a": 0.5, "b": 0.5}
    task = optimand.FunctionTask(coin(rates), [{"input": i} for i in range(6)])
    return optimand.pick(list(rates), task, store=store)


def _after(count, error):
    calls = []

    def score(value, example, seed):
        calls.append(value)
        if len(calls) > count:
            raise error
        return 0.5

    return optimand.FunctionTask(score)


def unavailable(store):
    task = _after(7, ServiceUnavailable("the endpoint answers 503"))
    return optimand.pick(["a", "b"], task, store=store)


def interrupted(store):
    calls = []

    def score(value, example, seed):
        calls.append(value)
        if len(calls) == 8:  # what Ctrl-C does
            for task in asyncio.all_tasks():
                task.cancel()
        return 0.5

    return optimand.pick(["a", "b"], optimand.FunctionTask(score), store=store)


ENDS = {
    f.__name__: f
    for f in (
        separated,
        tied,
        indifferent,
        cycle,
        budget,
        exhausted,
        unavailable,
        interrupted,
    )
}


def killed(store):
    """A study whose run was killed: its log ends with a snapshot."""
    result = budget(MemoryStore())
    state = result.verdict.to_json() | {"reason": "running", "history": {}}
    settings = {
        "candidates": {
            i: {"name": c.name, "parts": dict(c.artifact.parts)}
            for i, c in result.candidates.items()
        },
        "confidence": 0.95,
    }
    with closing(store.write("killed-1", settings)) as journal:
        journal.append(
            [Event("session", {"line": 3.0, "names": {}, "order": list(result.candidates)})]
            + [Event("snapshot", state | {"used": used}, at=used / 10) for used in (4, 8, 8, 12)]
        )


class Prefers:
    """A pairwise judge that reads: the output with more of a letter wins, with a reason."""

    name, kind, needs_outputs = "letters", "pair", True

    def __init__(self, letter="a"):
        self.letter = letter

    def fingerprint(self):
        return f"letters {self.letter}"

    def compare(self, example, a, b, seed):
        counts = [r.output.count(self.letter) for r in (a, b)]
        value = 0.5 if counts[0] == counts[1] else float(counts[0] > counts[1])
        return Judgement(value, f"{a.candidate} has {counts[0]}, {b.candidate} has {counts[1]}")


def written(store, replies, judge, examples=None, **options):
    """A study of policies whose model answers `replies[system prompt]` to each input."""

    def answer(request):
        said = {m.role: m.content for m in request.messages}
        reply = replies[said["system"]]
        return reply(said["user"]) if callable(reply) else reply

    examples = examples or [{"input": f"question {i}", "target": f"answer {i}"} for i in range(40)]
    task = optimand.TextTask(
        examples, judge, {"m": Scripted(answer, name="scripted", width=1)}, name="written"
    )
    policies = [optimand.Policy("m", system=name).candidate(name) for name in replies]
    return optimand.pick(policies, task, store=store, **options)
