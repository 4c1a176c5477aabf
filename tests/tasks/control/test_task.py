import asyncio
import base64
import collections
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from optimand import Artifact, Budget, Candidate, Example, pick
from optimand.core.errors import InputError
from optimand.core.record import Record
from optimand.evaluation.sandbox import Limits, probe
from optimand.tasks.control.task import ControlTask

WORKS = any(not why for name, why in probe().items() if name != "unprotected")
TIER = None if WORKS else "unprotected"  # the programs here are ours
BALANCED = "def act(o): return int(o[2] + 0.5 * o[3] + 0.05 * o[0] + 0.1 * o[1] > 0)"


class Counting(gymnasium.Env):
    """Counts; the reward is the action, success is what `info` says."""

    def __init__(self, info: Any = None, pays: float = 1.0, seen: Any = None) -> None:
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,))
        self.action_space = spaces.Discrete(2)
        self.info, self.pays, self.seen = info, pays, seen

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.count, self.start = 0, self.np_random.random()
        return self._seen(), {}

    def _seen(self) -> Any:
        return self.seen or np.array([self.count, self.start], np.float32)

    def step(self, action: int) -> Any:
        self.count += 1
        return self._seen(), action * self.pays, False, False, {"success": self.info}


def run(task: ControlTask, policy: str, seed: int = 1, summary: str = "") -> Record:
    candidate = Candidate(Artifact({"policy": policy, "summary": summary}), "x")
    try:
        return task.execute(candidate, Example("0", 0), seed)
    finally:
        asyncio.run(task.close())


def counting(**options: Any) -> ControlTask:
    chosen = {"max_steps": 5, "scale": (0, 5), "sandbox": TIER, **options}
    inner = {k: chosen.pop(k) for k in ("info", "pays", "seen") if k in chosen}
    return ControlTask(Counting, options=inner, **chosen)


@pytest.fixture
def pole() -> Iterator[ControlTask]:
    task = ControlTask("CartPole-v1", scale=(0, 500), sandbox=TIER)
    yield task
    asyncio.run(task.close())


def test_an_episode_is_scored_counted_and_told(pole: ControlTask) -> None:
    good = run(pole, BALANCED)
    assert (good.score, good.status, good.usage.steps) == (1.0, "ok", 500)
    assert good.objectives == {"return": 500.0}
    assert good.output.startswith("500 steps; truncated; first observation [")
    bad = run(pole, pole.start["policy"])
    assert 8 <= bad.usage.steps < 200
    assert bad.score == bad.usage.steps / 500


def test_the_same_seed_is_the_same_episode_for_all(pole: ControlTask) -> None:
    random = pole.start["policy"]
    assert run(pole, random, 7) == run(pole, random, 7)
    assert run(pole, random, 7).output != run(pole, random, 8).output
    first = [run(pole, p, 7).output.split("first")[1].split("]")[0] for p in (random, BALANCED)]
    assert first[0] == first[1]


def test_a_policy_is_made_anew_for_each_episode() -> None:
    task = counting()
    once = "class P:\n    n = 0\n    def act(self, o):\n        P.n += 1\n        return P.n <= 1"
    assert [run(task, once).objectives["return"] for _ in range(2)] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("policy", "status", "words"),
    [
        ("def act(o): return 1 / 0", "crash", "ZeroDivisionError"),
        ("def act(o): return 5", "invalid", "from 0 to 1"),
        ("def act(o): return None", "invalid", "no whole number"),
        ("import os\ndef act(o): os._exit(0)", "crash", "ended itself"),
        ("import socket\ndef act(o): socket.socket()", "invalid", "PermissionError"),
        ("def act(o): return bytearray(3 << 30)", "crash", "MemoryError"),
        ("def act(o):\n    while True: pass", "timeout", "1 seconds for one call"),
        ("print('score: 1.0')\nraise SystemExit(0)", "crash", "SystemExit"),
    ],
)
def test_what_a_policy_does_wrong_is_a_status(policy: str, status: str, words: str) -> None:
    record = run(counting(limits=Limits(seconds=1, memory_mb=512)), policy)
    assert (record.status, record.score) == (status, 0.0)
    assert words in record.feedback
    assert record.objectives == {}


@pytest.mark.parametrize(
    "cheat",
    [
        # The environment, its reward and its seed are not in this process.
        "import sys\ndef act(o):\n    import optimand\n    return 0",
        "import gymnasium\ngymnasium.Env.step = lambda s, a: (0, 99, 1, 1, {})\n"
        "def act(o): return 0",
        "import gc\ndef act(o):\n    for x in gc.get_objects():\n"
        "        if type(x).__name__ == 'Counting': x.pays = 99\n    return 0",
        "import numpy as np\nnp.clip = np.sum = lambda *a, **k: 99\ndef act(o): return 0",
        "class R(int):\n    def __mul__(s, o): return 99\n    __rmul__ = __mul__\n"
        "def act(o): return R(0)",
    ],
)
def test_no_policy_scores_without_acting(cheat: str) -> None:
    assert run(counting(), cheat).score == 0.0


def test_a_policy_cannot_foresee_the_environments_draws() -> None:
    task = counting(scale=(0, 1), max_steps=1)
    peek = """
import random
import numpy as np
mine = {round(float(np.random.default_rng(s).random()), 4) for s in range(2000)}
mine |= {round(np.random.random(), 4), round(random.random(), 4)}
def act(o): return int(round(float(o[1]), 4) in mine)
"""
    assert sum(run(task, peek, 10**9 + s).score or 0 for s in range(5)) <= 2


@pytest.mark.parametrize(
    ("info", "success"),
    [
        (True, 1.0),
        (0.5, 0.5),
        (np.array([0.0, 1.0]), 1.0),
        (float("nan"), 0.0),
        (7, 1.0),
        (None, None),
        ("yes", None),
        ([[], 1], None),
    ],
)
def test_success_as_environments_say_it(info: Any, success: float | None) -> None:
    record = run(counting(info=info, scale=None, success=True), "def act(o): return 0")
    assert record.score == (success or 0.0)
    assert record.objectives.get("success") == success


def test_a_reward_that_is_no_number_is_no_score() -> None:
    record = run(counting(pays=float("nan")), "def act(o): return 1")
    assert (record.status, record.score) == ("invalid", 0.0)
    assert "not a finite number" in record.feedback


def test_observations_of_other_forms_reach_the_policy() -> None:
    point = collections.namedtuple("Point", "x y")
    task = counting(seen=point(3, np.arange(2)))
    assert run(task, "def act(o): return int(o[0] == 3 and o[1].sum() == 1)").score == 1.0
    with pytest.raises(InputError, match="cannot be given to a program"):
        counting(seen=object())


def test_the_artifacts_own_words(pole: ControlTask) -> None:
    told = run(pole, BALANCED, summary="def summarise(o): return f'{len(o)} seen\\n{o[0].shape}'")
    assert told.output == "501 seen (4,) (500 steps, truncated)"
    failed = run(pole, BALANCED, summary="def summarise(o): return o[999999]")
    assert failed.score == 1.0
    assert "IndexError" in failed.trace["summary_error"]
    assert (
        "no text"
        in run(pole, BALANCED, summary="def summarise(o): return 5").trace["summary_error"]
    )


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "no part 'policy'"),
        ({"policy": "x = 1"}, "no function 'act'"),
        ({"policy": "def act(:"}, "line 1"),
        ({"policy": "def act(): return 1"}, "is called with 1 arguments"),
        ({"policy": "class A:\n def act(self): 0"}, "is called with 2 arguments"),
        ({"policy": "async def act(o): 0"}, "async"),
        ({"policy": BALANCED, "other": ""}, "no part 'other'"),
        ({"policy": BALANCED, "summary": "x"}, "no function 'summarise'"),
        ({"policy": BALANCED, "summary": 5}, "must be text"),
    ],
)
def test_what_can_be_seen_before_anything_runs(
    pole: ControlTask, parts: dict[str, Any], words: str
) -> None:
    assert any(words in c for c in pole.check(Artifact(parts)))


@pytest.mark.parametrize(
    "policy",
    [
        BALANCED,
        "class A:\n @staticmethod\n def act(o): return 0",
        "act = lambda o: 0",
        "class B:\n def act(self, o, more=1): return 0\nclass C(B): pass",
        "def act(*o): return 0",
    ],
)
def test_forms_that_a_policy_may_have(pole: ControlTask, policy: str) -> None:
    assert pole.check(Artifact({"policy": policy})) == []
    assert run(pole, policy).status == "ok"


@pytest.mark.parametrize(
    ("env", "options", "words"),
    [
        ("NoSuch-v0", {"scale": (0, 1)}, "could not be made"),
        (5, {"scale": (0, 1)}, "give a name, or a function"),
        ("CartPole-v1", {}, "give scale"),
        ("CartPole-v1", {"scale": (0, 1), "success": True}, "either scale or success"),
        ("CartPole-v1", {"scale": (1, 1)}, "low must be below high"),
        ("CartPole-v1", {"scale": (0, float("inf"))}, "finite"),
        ("CartPole-v1", {"scale": "ab"}, "two numbers"),
        ("CartPole-v1", {"scale": (0, 1), "max_steps": 0}, "episodes need an end"),
        (Counting, {"scale": (0, 1)}, "episodes need an end"),
        ("noise-world", {"scale": (0, 1), "options": {"board": 99}}, "board is 99"),
    ],
)
def test_what_cannot_be_meant_is_refused(env: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ControlTask(env, sandbox=TIER, **options)


def test_what_is_told_of_an_environment(pole: ControlTask) -> None:
    assert "Pole Angle" in pole.about
    assert "## Arguments" not in pole.about
    assert "It must return a whole number from 0 to 1." in pole.about
    assert "at most 500 steps" in pole.about
    own = counting(about="A counter.", reward="return action")
    assert own.about.startswith("A counter.\nact(observation) is given an array of shape (2)")
    assert own.about.endswith("The reward:\nreturn action")


def test_another_environment_or_scale_is_another_study(pole: ControlTask) -> None:
    same = ControlTask("CartPole-v1", scale=(0, 500), sandbox=TIER)
    assert same.fingerprint() == pole.fingerprint()
    for other in ({"scale": (0, 400)}, {"scale": (0, 500), "max_steps": 100}):
        assert ControlTask("CartPole-v1", sandbox=TIER, **other).fingerprint() != same.fingerprint()


def test_a_film_is_a_png() -> None:
    task = ControlTask("noise-world", options={"board": 1}, scale=(-100, 1000), sandbox=TIER)
    walk = "class P:\n n = 0\n def act(self, o):\n  self.n += 1\n  return 1 + self.n % 2"
    plain = counting()
    film = base64.b64decode(task.film(Artifact({"policy": walk})))
    assert film.startswith(b"\x89PNG\r\n\x1a\n")
    assert plain.film(Artifact({"policy": walk})) == ""
    for used in (task, plain):
        asyncio.run(used.close())


def test_episodes_side_by_side_are_those_one_by_one() -> None:
    policies = [BALANCED, "def act(o): return 0", "def act(o): return int(o[2] > 0)"]
    found = []
    for width in (1, 3):
        task = ControlTask("CartPole-v1", scale=(0, 500), sandbox=TIER, width=width)
        budget = Budget(steps=30_000)
        candidates = [Candidate(Artifact({"policy": p}), p[-9:]) for p in policies]
        result = pick(candidates, task, budget=budget, seed=3)
        assert result.best.artifact.parts["policy"] == BALANCED
        assert 0 < result.spent["steps"] <= 30_000
        found.append({s.candidate: s.estimate for s in result.verdict.standings})
    assert found[0].keys() == found[1].keys()
