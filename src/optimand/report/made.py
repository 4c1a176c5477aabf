"""How a study was made: judge, rule, seeds, versions. What someone needs to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.evaluation.extract import as_text
from optimand.evaluation.judges.consistency import readout
from optimand.report.calls import Calls
from optimand.report.sections import duration
from optimand.report.sentences import percent
from optimand.report.study import StudyView

__all__ = ["judge", "provenance"]

Pairs = list[tuple[str, str]]


def judge(view: StudyView, calls: Calls) -> dict[str, Any]:
    """The judge's options, and how far it can be trusted where it was asked more than once."""
    latest = view.sessions[-1] if view.sessions else {}
    known: Mapping[str, Any] | None = latest.get("judge")
    if known is None:
        function = "the task's own function" if view.settings.get("judge") is None else "not logged"
        return {"kind": function, "options": [], "sentences": []}
    options = [(name, as_text(value)) for name, value in known.items() if name != "type"]
    sentences = readout(calls.details).sentences() if calls.details else []
    return {"kind": as_text(known.get("type")), "options": options, "sentences": sentences}


def provenance(view: StudyView) -> Pairs:
    """Label and text of everything that fixes the run."""
    settings = view.settings
    latest: Mapping[str, Any] = view.sessions[-1] if view.sessions else {}
    versions = dict.fromkeys(str(s.get("version", "unknown")) for s in view.sessions)
    found = [
        ("study", view.name),
        ("begun", view.created),
        ("optimand", ", ".join(versions) or "unknown"),
        ("Python", as_text(latest.get("python"))),
        ("sessions", f"{len(view.sessions)}, {duration(view.seconds)} of active time in all"),
        ("confidence asked for", percent(view.confidence)),
        ("strategy", _named(settings.get("strategy"), latest.get("rule"))),
        ("seed", as_text(settings.get("seed"))),
        ("budget", _listed(latest.get("budget")) or "no limit"),
        ("examples", _examples(latest.get("examples"), settings.get("population"))),
        ("models", _listed(latest.get("models"))),
        ("task", as_text(settings.get("task"))),
        ("fingerprints", f"execution {settings.get('execution')}, judge {settings.get('judge')}"),
    ]
    return [(label, text) for label, text in found if text]


def _listed(mapping: Any) -> str:
    if not isinstance(mapping, Mapping):
        return ""
    return ", ".join(f"{name}: {as_text(value)}" for name, value in mapping.items())


def _named(name: Any, options: Any) -> str:
    said = ("name", "delta", "ordered")  # delta is one minus the confidence
    given = options.items() if isinstance(options, Mapping) else ()
    rest = {k: v for k, v in given if k not in said and v is not None}
    return f"{as_text(name)} ({_listed(rest)})" if rest else as_text(name)


def _examples(counts: Any, population: Any) -> str:
    meaning = {
        "whole": "they are all that matters",
        "sample": "a sample of what is to come",
    }.get(str(population), "")
    if not isinstance(counts, Mapping):
        return meaning
    known = ", ".join(
        f"{count:,}" if name == "all" else f"{name} {count:,}" for name, count in counts.items()
    )
    return f"{known or 'drawn from the seed, without end'}; {meaning}" if meaning else known
