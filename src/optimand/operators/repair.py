"""Repair what fails when it is run: a model is shown the code and the fault, and mends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from optimand.artifacts.surface import read
from optimand.core.example import Example
from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Query, Runs, Trial
from optimand.core.record import Record
from optimand.operators.edit import child
from optimand.operators.replies import parts_of
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import WHOLE, cut, plain

__all__ = ["Fault", "failure", "repaired", "trace_error"]

Fault = Callable[[Record], str]
"""What is to be repaired after an execution, in words; "" for nothing."""
SHOWN = 4_000
"""Characters of a fault that are shown, the last ones: a traceback ends with its cause."""


def failure(record: Record) -> str:
    """The candidate crashed, ran out of time or broke a rule."""
    failed = record.status in ("crash", "timeout", "invalid")
    return (record.feedback or record.status) if failed else ""


def trace_error(name: str) -> Fault:
    """What the execution's trace holds under `name`."""

    def fault(record: Record) -> str:
        trace = record.trace if isinstance(record.trace, Mapping) else {}
        return str(trace.get(name) or "")

    return fault


def repaired(
    runs: Runs,
    part: str,
    fault: Fault,
    look: Query,
    most: int,
    *,
    needed: bool = True,
    role: str = "proposer",
) -> Runs:
    """Run trials; ask `role` for another `part` of each with a fault, and run that in its place.

    At most `most` repairs of a trial, whatever their replies; then it is dropped, or with `needed`
    False kept with its fault. A proposal whose `part` broke a limit, so that it could not be run,
    is repaired too. What was replaced is returned behind the trials, not accepted, with its
    records. What `look` finds is shown with every request. Source: PromptPO, arXiv:2605.30719.
    """
    mend = _Repair(part, fault, look, most, needed, role)

    async def carry_out(
        context: Context, evidence: Evidence, trials: list[Trial], examples: Sequence[Example]
    ) -> list[Trial]:
        now, replaced = await runs(context, evidence, trials, examples), list[Trial]()
        while broken := [place for place, trial in enumerate(now) if mend.wrong(trial)]:
            mended = await all_of([mend(context, evidence, now[p], p) for p in broken])
            replaced += [
                replace(now[p], accepted=False, why=_REPLACED, meta={})
                for p, after in zip(broken, mended, strict=True)
                if now[p].candidate and _id(after) != _id(now[p])
            ]
            for place, after in zip(broken, mended, strict=True):
                now[place] = after
            now = await runs(context, evidence, now, examples)
        return [*now, *replaced]

    return carry_out


_REPLACED = "failed when it was run, and was repaired"


def _id(trial: Trial) -> str:
    return trial.candidate.id if trial.candidate else ""


@dataclass(frozen=True)
class _Repair:
    part: str
    fault: Fault
    look: Query
    most: int
    needed: bool
    role: str

    def wrong(self, trial: Trial) -> str:
        """Why a trial must be repaired; "" where it need not, or no longer."""
        if trial.meta.get(self._given_up):
            return ""
        if trial.candidate is None:
            return trial.why if self.part in trial.meta.get("changes", {}) else ""
        records = trial.records.get("train", ()) if trial.accepted else ()
        return next((why for record in records if (why := self.fault(record))), "")

    async def __call__(
        self, context: Context, evidence: Evidence, trial: Trial, place: int
    ) -> Trial:
        """The trial after one repair more, not yet run."""
        done = trial.meta.get(self._count, 0)
        meta = {**trial.meta, self._count: done + 1}
        if done >= self.most:
            why = f"still fails after {self.most} repairs" if self.needed else trial.why
            accepted = trial.accepted and not self.needed
            return replace(trial, accepted=accepted, why=why, meta={**meta, self._given_up: True})
        draw = context.action.width + place * self.most + done
        shown = (await self.look(context)).blocks
        reply = await ask(context, self.role, self._request(trial, shown), draw)
        found = (parts_of(reply.text, (self.part,)) or {}).get(self.part)
        if found is None:
            return replace(trial, meta=meta)
        parents = (trial.candidate,) if trial.candidate else evidence.parents
        after = child(context, parents, {self.part: found}, "repair")
        if after.candidate is None and trial.candidate and not self.needed:
            return replace(trial, meta=meta)
        return replace(after, meta={**meta, **after.meta})

    def _request(self, trial: Trial, shown: Mapping[str, str]) -> str:
        if trial.candidate is None:
            code = trial.meta["changes"][self.part]
        else:
            code = read(trial.candidate.artifact.parts, self.part)
        fault = cut(self.wrong(trial), SHOWN, keep_end=True)
        values = {"code": plain(code, WHOLE), "fault": fault, "part": self.part}
        return prompt("repair", values, shown)

    @property
    def _count(self) -> str:
        return f"{self.part} repairs"

    @property
    def _given_up(self) -> str:
        return f"{self.part} given up"
