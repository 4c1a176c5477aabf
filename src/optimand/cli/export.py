"""`optimand export`: a study's records, comparisons or candidates as JSON lines or CSV."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from optimand.cli.common import or_exit, say
from optimand.cli.reading import STORE, STUDY
from optimand.cli.studies import opened
from optimand.report.text import visible

if TYPE_CHECKING:
    from optimand.core.record import Comparison, Record
    from optimand.core.store import Journal, StudyInfo

Asked = Mapping[str, tuple[Any, Any]]

__all__ = ["Form", "What", "export"]

_ASKED = ("example", "input", "target", "repeat", "status")
_COSTS = ("seconds", "calls", "input_tokens", "output_tokens", "usd", "unpriced", "steps")
RECORD = (
    *("candidate", "name", *_ASKED, "score", "output", "feedback"),
    *_COSTS,
)
COMPARISON = (
    *("a", "a_name", "b", "b_name", *_ASKED, "outcome", "feedback"),
    *_COSTS,
)

CANDIDATE = (
    *("candidate", "name", "operator", "parents", "step", "kept", "why", "val", "train", "best"),
    "parts",
)


class What(StrEnum):
    """What to export."""

    records = "records"
    comparisons = "comparisons"
    candidates = "candidates"


_HEADS = {
    What.records: RECORD,
    What.comparisons: COMPARISON,
    What.candidates: CANDIDATE,
}


class Form(StrEnum):
    """In which form."""

    jsonl = "jsonl"
    csv = "csv"


def export(
    study: Annotated[str, STUDY],
    store: Annotated[str | None, STORE] = None,
    what: Annotated[What, typer.Option(help="which rows")] = What.records,
    form: Annotated[Form, typer.Option("--format", help="in which form")] = Form.jsonl,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="a file; by default standard output")
    ] = None,
) -> None:
    """Write a study's records or comparisons, one per line, each with the example's input and
    target (empty where the store keeps no examples), or its candidates with all their parts.

    Of an improvement the candidates are the start and everything that was proposed, with operator,
    parents, mean scores on val and train, and why they were not kept.

    In CSV a line that a spreadsheet would run as a formula gets an apostrophe in front, also within
    a text, and control characters are written out; JSON lines hold every text as it is.
    """
    count = or_exit(lambda: _export(study, store, what, form, out))
    say(f"{count:,} {what.value}")


def _export(study: str, where: str | None, what: What, form: Form, out: Path | None) -> int:
    from optimand.cli.improvements import proposals
    from optimand.report.asked import inputs_and_targets

    with opened(study, where) as (store, info), closing(store.read(info.name)) as journal:
        names = _names(info, journal)
        known = inputs_and_targets(journal)
        rows = {
            What.records: lambda: _records(journal, names, known, info.settings.get("judge")),
            What.comparisons: lambda: _comparisons(journal, names, known),
            What.candidates: lambda: proposals(info, journal),
        }[what]()
        with _target(out) as file:
            return _write(rows, _HEADS[what], form, file)


def _names(info: StudyInfo, journal: Journal) -> Mapping[str, str]:
    """All candidates' names by id, also those that a search proposed."""
    from optimand.report.study import view_study

    proposed = {e.body["id"]: str(e.body["name"]) for e in journal.events(("candidate",))}
    return {**proposed, **view_study(info, journal).names}


@contextmanager
def _target(out: Path | None) -> Iterator[TextIO]:
    from optimand.core.errors import StorageError

    if out is None:
        yield sys.stdout
        return
    try:
        with out.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise StorageError(f"{out}: {error.strerror or error}; choose another place") from error


def _write(rows: Iterator[dict[str, Any]], head: Sequence[str], form: Form, file: TextIO) -> int:
    count = 0
    show = _seen if file.isatty() else _as_it_is
    table = _table(file, head) if form is Form.csv else None
    if table is not None:
        table.writeheader()
    for row in rows:
        count += 1
        if table is None:
            file.write(json.dumps(row) + "\n")  # ASCII, so that it passes through anything
        else:
            table.writerow({name: show(_cell(row.get(name))) for name in head})
    return count


def _table(file: TextIO, head: Sequence[str]) -> csv.DictWriter[str]:
    """Quotes every text, since what needs it differs between readers (and Python's versions)."""
    return csv.DictWriter(file, head, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)


_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_FORMULA = re.compile(rf"\A(?=\r)|(?:\A|(?<=[{_BREAKS}]))(?=\t|[^\S{_BREAKS}]*[=+\-@＝＋－＠])")
"""Where a line begins as a formula would, also after spaces, or in wide characters."""


_STEERING = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
"""Control characters that are no breaks: a table is also looked at through a pipe."""


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    text = _STEERING.sub(lambda found: visible(found[0]), text)
    return _FORMULA.sub("'", text).encode("utf-8", "backslashreplace").decode()


def _as_it_is(cell: Any) -> Any:
    return cell


def _seen(cell: Any) -> Any:
    """On a terminal, what would steer it is written out."""
    return visible(cell) if isinstance(cell, str) else cell


def _asked(known: Asked, call: Record | Comparison, status: str) -> dict[str, Any]:
    value, target = known.get(call.example, (None, None))
    return {
        "example": call.example,
        "input": value,
        "target": target,
        "repeat": call.repeat,
        "status": status,
    }


def _records(
    journal: Journal, names: Mapping[str, str], known: Asked, judge: str | None
) -> Iterator[dict[str, Any]]:
    """Executions with their scores."""
    from optimand.core.executions import executions

    for record, scored in executions(journal, judge):
        usage = record.usage + scored.usage if scored else record.usage
        judged = record.status if scored is None or scored.status == "ok" else scored.status
        yield {
            "candidate": record.candidate,
            "name": names.get(record.candidate),
            **_asked(known, record, judged),
            "score": scored.value if scored else record.score,
            "output": record.output,
            "feedback": (scored.feedback if scored else "") or record.feedback,
            **_costs(record.seconds, usage),
        }


def _comparisons(
    journal: Journal, names: Mapping[str, str], known: Asked
) -> Iterator[dict[str, Any]]:
    from optimand.core.codec import unpack
    from optimand.core.record import Comparison

    for event in journal.events(("comparison",)):
        c = unpack(Comparison, event.body)
        yield {
            "a": c.a,
            "a_name": names.get(c.a),
            "b": c.b,
            "b_name": names.get(c.b),
            **_asked(known, c, c.status),
            "outcome": c.outcome,
            "feedback": c.feedback,
            **_costs(c.seconds, c.usage),
        }


def _costs(seconds: float, usage: Any) -> dict[str, float]:
    return {
        "seconds": seconds,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "usd": usage.usd,
        "unpriced": usage.unpriced,
        "steps": usage.steps,
    }
