"""What is compared: our strategies and the peers, and what each one's promise rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

from benchmarks.pick.peers.common import duel
from benchmarks.pick.peers.elimination import ActiveRanking, Savage, active_elimination
from benchmarks.pick.peers.greedy import epsilon_greedy
from benchmarks.pick.peers.knockout import bracket, knockout_told_the_gap
from benchmarks.pick.peers.llm_po import llm_po, ratio_tracking
from benchmarks.pick.peers.plpac import plpac
from benchmarks.pick.peers.rmed import Rmed
from benchmarks.pick.peers.rucb import rucb
from benchmarks.pick.peers.scripted import scripted
from benchmarks.pick.peers.thompson import double_thompson, thompson
from benchmarks.pick.peers.top_two import eb_tci, top_two_pairs, top_two_strengths
from benchmarks.pick.peers.uniform import random_pair, round_robin
from benchmarks.pick.peers.verify import ExploreThenVerify
from benchmarks.pick.play import Maker, Player
from benchmarks.pick.pools import Pool

from optimand.statistics.duel import DuelOptions, DuelState, Sampler
from optimand.statistics.glr import Glr
from optimand.statistics.tracking import Tracking

__all__ = ["DEFAULT", "STRATEGIES", "Kind", "Strategy", "for_pool"]

Kind = Literal["ours", "peer", "helped", "unproven", "told the gap"]
"""peer: a published rule, with our stop or its own. helped: also told whom our evidence disproved.
unproven: its stopping rule has no proof. told the gap: knows what nobody knows."""

DEFAULT = "optimand"
TRANSITIVE = ("Bradley-Terry", "hard gap", "rivals tied", "near tie", "ties", "graded")
ANY = (*TRANSITIVE, "slot bias", "cyclic", "non-transitive", "linear", "real", "equal")


@dataclass(frozen=True)
class Strategy:
    """A way to pick. families: where its promise of error <= delta holds."""

    name: str
    kind: Kind
    maker: Maker
    families: tuple[str, ...] = ANY
    linear: bool = False

    def valid(self, pool: Pool) -> bool:
        """Whether its error rate is promised to be at most delta on this pool."""
        return self.kind in ("ours", "peer", "helped") and pool.family in self.families


def _ours(
    space: Literal["general", "linear"] = "general", check: float | None = DuelOptions.check
) -> Maker:
    def make(pool: Pool, reps: int, delta: float) -> Player:
        features = pool.features if space == "linear" else None
        options = DuelOptions(delta=delta, space=space, features=features, check=check)
        return DuelState(pool.size, reps, options)

    return make


_BOTH: dict[str, Sampler] = {
    "epsilon-greedy": epsilon_greedy,
    "Thompson": thompson,
    "Double Thompson": double_thompson,
    "RUCB": rucb,
    "top-two Thompson (pairs)": top_two_pairs,
    "top-two Thompson (strengths)": top_two_strengths,
    "top-two EB-TCI": eb_tci,
}

STRATEGIES: tuple[Strategy, ...] = (
    Strategy(DEFAULT, "ours", _ours()),
    Strategy("optimand, no check", "ours", _ours(check=None)),
    Strategy("round robin", "peer", duel(round_robin)),
    Strategy("random pairs", "peer", duel(random_pair)),
    *(Strategy(name, "peer", duel(sampler)) for name, sampler in _BOTH.items()),
    Strategy("RMED1", "peer", duel(Rmed(1))),
    Strategy("RMED2", "peer", duel(Rmed(2))),
    *(
        Strategy(f"{name}, helped", "helped", duel(partial(sampler, told=True)))
        for name, sampler in _BOTH.items()
    ),
    Strategy("RMED1, helped", "helped", duel(Rmed(1, told=True))),
    Strategy("RMED2, helped", "helped", duel(Rmed(2, told=True))),
    Strategy("active elimination", "peer", duel(active_elimination)),
    Strategy("bracket", "peer", duel(bracket)),
    Strategy("explore, then verify", "peer", ExploreThenVerify),
    Strategy("SAVAGE", "peer", Savage),
    Strategy("active ranking", "peer", ActiveRanking, TRANSITIVE),
    Strategy("PLPAC", "peer", scripted(plpac), ("Bradley-Terry", "hard gap", "rivals tied")),
    Strategy("knockout", "told the gap", knockout_told_the_gap, TRANSITIVE),
    Strategy("LLM-PO, Kaufmann-Koolen", "peer", llm_po("kaufmann-koolen")),
    Strategy("LLM-PO, classical", "unproven", llm_po("classical")),
    Strategy("LLM-PO, heuristic", "unproven", llm_po("heuristic")),
    Strategy("LLM-PO, our stop", "peer", llm_po(None)),
    Strategy("LLM-PO C-tracking, our stop", "peer", duel(Tracking("C"))),
    Strategy("LLM-PO ratio tracking, our stop", "peer", duel(ratio_tracking)),
)

_LINEAR: tuple[Strategy, ...] = (
    Strategy("optimand, linear", "ours", _ours("linear"), linear=True),
    Strategy(
        "round robin, linear, our stop", "peer", duel(round_robin, space="linear"), linear=True
    ),
    Strategy(
        "round robin, linear, heuristic",
        "unproven",
        duel(round_robin, Glr("heuristic"), space="linear"),
        linear=True,
    ),
    Strategy("LLM-PO, linear, our stop", "peer", llm_po(None, "linear"), linear=True),
    Strategy("LLM-PO, linear, heuristic", "unproven", llm_po("heuristic", "linear"), linear=True),
)


def for_pool(pool: Pool, names: tuple[str, ...] | None = None) -> list[Strategy]:
    """The strategies that make sense on a pool (all of them, or those named)."""
    chosen = [*STRATEGIES, *(_LINEAR if pool.features is not None else ())]
    if not math.isfinite(pool.time):  # "the gap" does not exist
        chosen = [s for s in chosen if s.kind != "told the gap"]
    return [s for s in chosen if names is None or s.name in names]
