"""What tells one function from another, in this process and in the next."""

import functools
import os
import subprocess
import sys
import textwrap
import types
from dataclasses import dataclass

import numpy as np
import pytest

from optimand.core.functions import describe_function, describe_value


def score(value, example, seed, *, good=1):
    return float(value == good)


def made(good):
    def inner(value, example, seed):
        return float(value == good)

    return inner


class Scorer:
    def __init__(self, good):
        self.good = good

    def __call__(self, value, example, seed):
        return float(value == self.good)

    def method(self, value, example, seed):
        return float(value == self.good)


class Slotted:
    __slots__ = ("__hidden", "good")

    def __init__(self, good):
        self.good, self.__hidden = "same", good

    def __call__(self, value, example, seed):
        return float(value == self.__hidden)


@dataclass(frozen=True)
class Config:
    good: object


class Text(str):
    __slots__ = ()


def executed(good):
    names = {}
    exec(f"def s(value, example, seed): return float(value == {good!r})", names)
    return names["s"]


def nested_code(good):
    names = {}
    exec(f"def s(value, example, seed):\n def f(): return {good!r}\n return f()", names)
    return names["s"]


def defaults(good):
    def inner(value, example, seed, good=good):
        return float(value == good)

    return inner


def attribute(good):
    def inner(value, example, seed):
        return float(value == inner.good)

    inner.good = good
    return inner


def decorated(good):
    @functools.wraps(score)
    def wrapper(*args):
        return score(*args, good=good)

    return wrapper


def typed(good):
    return type("Typed", (), {"good": good, "__call__": lambda self, v, e, s: v == self.good})()


KINDS = {
    "partial": lambda good: functools.partial(score, good=good),
    "positional": lambda good: functools.partial(made, good),
    "closure": made,
    "nested closure": lambda good: made(made(good)),
    "callable object": Scorer,
    "slots": Slotted,
    "bound method": lambda good: Scorer(good).method,
    "partial of a method": lambda good: functools.partial(Scorer(good).method, seed=1),
    "class attribute": typed,
    "exec": executed,
    "code inside code": nested_code,
    "defaults": defaults,
    "attribute": attribute,
    "decorated": decorated,
    "cached": lambda good: functools.lru_cache(made(good)),
    "bound builtin": lambda good: {"x": good}.get,
    "lambda": lambda good: eval(f"lambda v, e, s: v == {good!r}"),
    "namespace": lambda good: made(types.SimpleNamespace(a=good).__dict__),
    "captured list": lambda good: made([1, good]),
    "captured set": lambda good: made({"a", good}),
    "captured mapping": lambda good: made({"a": {"b": good}}),
    "captured key": lambda good: made({good: 1}),
    "captured dataclass": lambda good: made(Config(good)),
    "captured instance": lambda good: made(Scorer(good)),
    "captured array": lambda good: made(np.array([len(good), ord(good)])),
    "captured objects": lambda good: made(np.array([good, None], dtype=object)),
    "captured bytes": lambda good: made(bytearray(good.encode())),
    "captured text of a kind": lambda good: made(Text(good)),
    "captured range": lambda good: made(range(ord(good))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_behaviour_is_another_function_and_the_same_is_the_same(kind):
    make = KINDS[kind]
    assert describe_function(make("x")) == describe_function(make("x"))
    assert describe_function(make("x")) != describe_function(make("y"))


def test_two_lambdas_on_one_line_differ():
    one, other = (lambda v, e, s: v + 1), (lambda v, e, s: v - 1)
    assert describe_function(one) != describe_function(other)


def test_kinds_of_numbers_differ():
    assert len({describe_value(v) for v in (1, 1.0, True, "1", b"1", 1j, [1], (1,), None)}) == 9


def test_cycles_and_depth_come_to_an_end():
    def recursive(value, example, seed):
        return recursive(value, example, seed)

    ring = []
    ring.append(ring)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    mutual = Scorer(None)
    mutual.good = Config(mutual)
    for function in (recursive, made(ring), made(deep), made(10**6000), mutual):
        assert describe_function(function) == describe_function(function)


def test_what_cannot_be_looked_into_counts_by_its_type(tmp_path):
    with (tmp_path / "a").open("w") as one, (tmp_path / "b").open("w") as other:
        assert describe_function(made(one)) == describe_function(made(other))
        assert describe_function(made(one)) != describe_function(made(iter([])))


def test_a_fingerprint_speaks_for_its_object():
    class Counting(Scorer):
        def fingerprint(self):
            return f"counting {self.good}"

    one, used = Counting("x"), Counting("x")
    used.calls = 17
    assert describe_function(made(one)) == describe_function(made(used))
    assert describe_function(one) != describe_function(Counting("y"))


def test_our_own_functions_count_by_name():
    """Otherwise a new version would make every study another one."""
    from optimand.statistics.duel_samplers import top_two

    module = {"__name__": top_two.__module__}
    other = types.FunctionType((lambda state, rng: 0).__code__, module, top_two.__name__)
    other.__qualname__ = top_two.__qualname__
    assert describe_value(top_two) == describe_value(other)


PROGRAM = """
import datetime, decimal, enum, functools, pathlib, re, threading
from dataclasses import dataclass
from optimand.core.functions import describe_function

class Colour(enum.Enum):
    RED = "r"

@dataclass
class Config:
    words: set
    table: dict

class Scorer:
    def __init__(self, state):
        self.state, self.lock = state, threading.Lock()
        self.words = {str(i) for i in range(50)} | {b"x", None, (1, "a")}
    def __call__(self, value, example, seed):
        return len({"a", "b", "c", "d"}) + len(self.state)

state = [{str(i): i for i in {"p", "q", "r", "s"}}, frozenset("hello"), Colour.RED, print,
         re.compile("x"), pathlib.Path("a/b"), decimal.Decimal("1.5"),
         datetime.date(2020, 1, 1), object(), Scorer, Config({"u", "v", "w"}, {}), iter([]),
         float("nan"), lambda: {"k", "l", "m"}]
exec("def typed(v, e, s): return v in {'a', 'b', 'c'}")
for function in (Scorer(state), functools.partial(typed, state), Scorer(state).__call__):
    print(describe_function(function))
"""


def test_every_process_says_the_same(tmp_path):
    script = tmp_path / "p.py"
    script.write_text(textwrap.dedent(PROGRAM))
    said = {
        subprocess.run(
            [sys.executable, *start],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, start in (("1", [str(script)]), ("2", [str(script)]), ("77", [str(script)]))
    }
    assert len(said) == 1
    assert len(set(said.pop().splitlines())) == 3


def test_the_place_of_a_study_does_not_count(tmp_path):
    from optimand.evaluation.judges.loading import function_id, load_function

    text = "class S:\n def __call__(self, o, e): return 1.0\nscore = S()\n"
    ids = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scoring.py").write_text(text)
        ids.append(function_id(load_function("scoring:score", tmp_path / folder)))
    assert ids[0] == ids[1]
