"""CEPO: one shared text and one for each agent, optimized in turn by any other method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Search
from optimand.core.usercode import shown
from optimand.methods.registry import chosen, method
from optimand.queries.agents import seen_by

__all__ = ["cepo"]

OTHERS = ("critic", "summarizer", "controller", "adapter", "judge", "synthesizer", "meta")
"""Roles besides the proposer that a host may have."""


@method(
    "cepo",
    source="CEPO (abstract only): coordinator-executor prompt optimization",
    optional=OTHERS,
)
def cepo(
    problem: Problem,
    *,
    host: str | Mapping[str, Any] = "gepa",
    coordinator: str = "",
    minibatch: int = 3,
) -> Search:
    """Split the prompts of a system of agents: a coordinator's text that all share, and executors'.

    `host` is the method that searches (a name, or a mapping with `type` and its options), taken as
    it is: only its steps are narrowed. In turn they may change the part `coordinator` (default: the
    first) and then each of the other parts, the executors. While it is the coordinator's turn the
    proposer is shown failures across agents, the most shared first, and how often each agent
    failed; while it is an executor's, that agent's own failures, told by the objective and the
    lines of feedback that bear the part's name. Hosts that look at no examples get a look at
    `minibatch` of them. The task joins the texts: agent i reads coordinator + executor i. The
    turns, and what each role is shown, are our reading of the abstract.
    """
    names = problem.surface.names
    first = coordinator or names[0]
    if first not in names:
        raise InputError(
            f"method 'cepo': coordinator is {shown(first)}, which is no part that may change. "
            f"There is {', '.join(names)}."
        )
    agents = [name for name in names if name != first]
    search = _host(host)(problem)
    propose = next(search, None)
    for part in cycle((first, *agents)):
        if propose is None:
            return
        look = seen_by(part, first, agents, propose.query, minibatch)
        params = {**propose.params, "parts": [part]}
        step = yield replace(propose, query=look, params=params)
        # The host is answered as if its own step had been taken.
        try:
            propose = search.send(replace(step, action=propose))
        except StopIteration:
            return


def _host(given: str | Mapping[str, Any]) -> Callable[..., Search]:
    """The host's search with its options; raises InputError for one that cannot be wrapped."""
    host, options = chosen(given)
    strange = [role for role in host.roles if role not in ("proposer", *OTHERS)]
    if host.name == "cepo" or host.final != "val" or strange:
        raise InputError(
            f"method 'cepo': {host.name!r} cannot be its host: it needs one that keeps the best "
            "on validation examples, asks no strange roles, and is not itself"
        )
    return partial(host.search, **options)
