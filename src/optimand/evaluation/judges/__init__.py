"""Judges: who says how good an output is, or which of two is better. Loaded where used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimand.evaluation.judges.consistency import Consistency, Rate, readout
    from optimand.evaluation.judges.contains import Contains
    from optimand.evaluation.judges.desk import Desk, MemoryDesk
    from optimand.evaluation.judges.exact import Exact
    from optimand.evaluation.judges.function import Function, PairFunction
    from optimand.evaluation.judges.human import Human, HumanScore
    from optimand.evaluation.judges.json_field import JsonField
    from optimand.evaluation.judges.margin import Margin
    from optimand.evaluation.judges.numeric import Numeric
    from optimand.evaluation.judges.pairwise import Pairwise
    from optimand.evaluation.judges.regex import Regex
    from optimand.evaluation.judges.registry import JUDGES, check_judge, judge_from, judge_to
    from optimand.evaluation.judges.rubric import Rubric

_HOMES = {
    "JUDGES": "registry",
    "Consistency": "consistency",
    "Contains": "contains",
    "Desk": "desk",
    "Exact": "exact",
    "Function": "function",
    "Human": "human",
    "HumanScore": "human",
    "JsonField": "json_field",
    "Margin": "margin",
    "MemoryDesk": "desk",
    "Numeric": "numeric",
    "PairFunction": "function",
    "Pairwise": "pairwise",
    "Rate": "consistency",
    "Regex": "regex",
    "Rubric": "rubric",
    "check_judge": "registry",
    "judge_from": "registry",
    "judge_to": "registry",
    "readout": "consistency",
}

__all__ = [
    "JUDGES",
    "Consistency",
    "Contains",
    "Desk",
    "Exact",
    "Function",
    "Human",
    "HumanScore",
    "JsonField",
    "Margin",
    "MemoryDesk",
    "Numeric",
    "PairFunction",
    "Pairwise",
    "Rate",
    "Regex",
    "Rubric",
    "check_judge",
    "judge_from",
    "judge_to",
    "readout",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
