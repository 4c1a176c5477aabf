"""The answer of `pick`, as people and programs read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimand.core.amounts import cost, steps
from optimand.core.artifact import Candidate
from optimand.core.errors import SetupError
from optimand.core.failed_runs import failed_runs
from optimand.core.verdict import FIXED, Standing, Verdict
from optimand.core.wording import joined, made

if TYPE_CHECKING:
    import pandas

    from optimand.core.store import Store

__all__ = [
    "PickResult",
    "closest",
    "lasts",
    "lead",
    "origin",
    "plain",
    "sentence",
]


def origin(v: Verdict) -> str:
    """Which earlier study this one went on from, and how much that had made; empty without one."""
    if v.carried is None:
        return ""
    how = "carried on from" if v.carried["evidence"] else "only guided by"
    return f"{how} {v.carried['study']}: {v.carried['used']:,} {v.carried['unit']}"


def lasts(source: Store | str | Path | None) -> bool:
    """Whether what a store holds outlives this process."""
    return source is not None and getattr(source, "url", source) != "memory:"


def closest(v: Verdict, line: float | None) -> float | None:
    """How much of the evidence `line` there is against the rival that is furthest from it.

    From 0 to 1; None where no rival is left or the strategy has no such line.
    """
    rivals = [s.evidence for s in v.standings if s.alive and s.candidate != v.best]
    if not rivals or not line:
        return None
    return min(1.0, max(0.0, min(rivals) / line))


def sentence(verdict: Verdict, names: Mapping[str, str], spent: Mapping[str, float]) -> str:
    """A verdict as a sentence: who, how much, how sure, at what cost; and what runs failed, if any.

    `names`: id to name.
    """
    failed = failed_runs(verdict.failures)
    return _finding(verdict, names, spent) + (f" {failed}." if failed else "")


def _finding(v: Verdict, names: Mapping[str, str], spent: Mapping[str, float]) -> str:
    used = ", ".join(
        part for part in (made(v, spent), steps(spent), cost(spent), origin(v)) if part
    )
    sure = f"confidence {v.confidence:.3f}"
    if v.decided and v.best is not None and v.standings:
        over = f", better than {_gain(v, names)}" if v.gain and v.gain["proven"] else ""
        return f"{names[v.best]} is best: {_how_much(v, names)}{over}, {sure}, {used}."
    places = {s.candidate: s.rank for s in v.standings}
    if v.reason == FIXED and v.best is not None:
        guess = f"Best guess after {used}: {names[v.best]}, {_how_much(v, names)}, {sure}."
        return f"{guess} Not separated: {_listed(v.unresolved, names)}."
    rest = sorted(v.unresolved, key=lambda i: places.get(i, len(places)))
    why = f"{v.reason} ({v.detail})" if v.detail else v.reason
    if v.best is not None and v.gain is not None:
        return f"{_kept(v, names)}: {why}. Not separated: {_listed(rest, names)}. {used}."
    so_far = ""
    if v.best is not None and v.standings:
        so_far = f" Best so far: {names[v.best]}, {_how_much(v, names)}, {sure}."
    way = _WAYS.get(v.reason, "")
    return f"Undecided: {why}{way}.{so_far} Not separated: {_listed(rest, names)}. {used}."


_WAYS = {"exhausted": " (add examples, or allow an indifference)"}


def _listed(ids: Sequence[str], names: Mapping[str, str]) -> str:
    return joined([names[i] for i in ids])


def _kept(v: Verdict, names: Mapping[str, str]) -> str:
    """What an undecided run with a baseline comes to."""
    best = names[v.best or ""]
    if v.gain is None or not v.gain["proven"]:
        return f"Kept {best}: nothing is proven better. Undecided"
    return f"{best} is proven better than {_gain(v, names)}. Which is best is undecided"


def _gain(v: Verdict, names: Mapping[str, str]) -> str:
    """The baseline, and by how much the one named differs from it."""
    assert v.gain is not None
    return f"{names[v.baseline or '']} by {lead(v.gain, v)}"


def lead(gain: Mapping[str, Any], v: Verdict) -> str:
    """A gain over the baseline with its interval, in the unit of the verdict's measure."""
    unit = "" if v.measure == "score" else " in win rate above one half"
    return f"{gain['estimate']:.3f} [{gain['low']:.3f}, {gain['high']:.3f}]{unit}"


def _how_much(v: Verdict, names: Mapping[str, str]) -> str:
    """The winner's score; where pairs are compared, its win rate against the next in rank."""
    top = v.standings[0]
    if v.measure == "score" or len(v.standings) < 2:
        return f"{v.measure} {top.estimate:.3f} [{top.low:.3f}, {top.high:.3f}]"
    rival = v.standings[1]
    return (
        f"win rate {1 - rival.estimate:.3f} [{1 - rival.high:.3f}, {1 - rival.low:.3f}] "
        f"against {names[rival.candidate]}"
    )


def plain(
    verdict: Verdict,
    names: Mapping[str, str],
    spent: Mapping[str, float],
    study: str,
    threshold: float | None,
) -> dict[str, Any]:
    """A verdict as plain JSON, with names beside the ids, for programs.

    `names` are in the order of the run. A standing's `estimate`, `low` and `high` are None for the
    one against which win rates are; its `evidence` is None, and `certain` true, where it is inf.
    """
    found = verdict.to_json()
    pairs = zip(verdict.standings, found["standings"], strict=True)
    return {
        "study": study,
        **found,
        "best": names[verdict.best] if verdict.best else None,
        "baseline": names[verdict.baseline] if verdict.baseline else None,
        "standings": [_plain_standing(verdict, s, entry, names) for s, entry in pairs],
        "unresolved_names": [names.get(i, i) for i in verdict.unresolved],
        "wins": {"names": list(names.values()), **verdict.wins} if verdict.wins else {},
        "threshold": threshold,
        "names": dict(names),
        "spent": dict(spent),
    }


def _plain_standing(
    v: Verdict, s: Standing, entry: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, Any]:
    known = dict.fromkeys(("estimate", "low", "high")) if v.is_reference(s) else {}
    return {
        "name": names.get(s.candidate, s.candidate),
        **entry,
        **known,
        "certain": s.certain,
        "beaten_by_name": names.get(s.beaten_by, s.beaten_by) if s.beaten_by else None,
    }


@dataclass(frozen=True)
class PickResult:
    """What was found, how sure it is, and what it cost; `print(result)` says it in a sentence.

    `study` is its name in `source`, the store (or its path or URL) that holds the log. `threshold`:
    evidence in nats at which a candidate is ruled out, None where the strategy stops otherwise.
    """

    verdict: Verdict
    candidates: Mapping[str, Candidate]
    asked_confidence: float
    spent: Mapping[str, float]
    study: str = ""
    source: Store | str | Path | None = field(default=None, repr=False, compare=False)
    threshold: float | None = None

    @property
    def decided(self) -> bool:
        """Whether the answer is safe at the confidence asked for."""
        return self.verdict.decided

    @property
    def best(self) -> Candidate | None:
        """The best candidate; when undecided the best so far, and None in a cycle.

        With a baseline, when undecided: the best of those proven better than it, else itself.
        """
        return self.candidates[self.verdict.best] if self.verdict.best else None

    @property
    def confidence(self) -> float:
        """The anytime-valid confidence reached."""
        return self.verdict.confidence

    @property
    def reason(self) -> str:
        """Why the run ended (see Verdict)."""
        return self.verdict.reason

    @property
    def interrupted(self) -> bool:
        """Whether it was ended by Ctrl-C or a polite kill; the same call goes on."""
        return self.reason == "interrupted"

    @property
    def lasting(self) -> bool:
        """Whether the log outlives this process, so that the same call resumes later."""
        return lasts(self.source)

    @property
    def ranking(self) -> list[tuple[Candidate, Standing]]:
        """Candidates with their standings, best first."""
        return [(self.candidates[s.candidate], s) for s in self.verdict.standings]

    @property
    def names(self) -> dict[str, str]:
        """The candidates' names by id."""
        return {id_: c.name for id_, c in self.candidates.items()}

    def report(self, path: str | Path) -> Path:
        """Write the run as one HTML page that opens without a network; returns its path.

        Raises InputError for a result without a log, and StorageError where the log or the page
        cannot be read or written.
        """
        from optimand.report import report_result

        return report_result(self, Path(path))

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON.

        Each of `standings` has the candidate's `name`. `estimate`, `low` and `high` are None for
        the one against which win rates are; `evidence` is None, and `certain` true, for one that is
        certainly not the best. `wins` counts the games of pairs, in the order of its `names`.
        """
        return plain(self.verdict, self.names, self.spent, self.study, self.threshold)

    def to_frame(self) -> pandas.DataFrame:
        """The ranking as a pandas frame; raises SetupError where the extra `frame` is missing.

        `estimate`, `low` and `high` are NaN for the one against which win rates are; `evidence` is
        inf for one that is certainly not the best.
        """
        try:
            import pandas
        except ImportError as error:
            raise SetupError("install the extra: pip install 'optimand[frame]'") from error
        rows = [self._row(c, s) for c, s in self.ranking]
        frame = pandas.DataFrame(rows)
        numbers = ["estimate", "low", "high", "evidence"]
        return frame.astype(dict.fromkeys(numbers, float)) if rows else frame

    def _row(self, candidate: Candidate, s: Standing) -> dict[str, Any]:
        known = not self.verdict.is_reference(s)
        return {
            "rank": s.rank,
            "name": candidate.name,
            "estimate": s.estimate if known else None,
            "low": s.low if known else None,
            "high": s.high if known else None,
            "runs": s.runs,
            "evidence": s.evidence,
            "in_race": s.alive,
        }

    def __str__(self) -> str:
        return sentence(self.verdict, self.names, self.spent)
