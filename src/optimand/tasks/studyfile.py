"""The form of a study file, as pydantic models, and its faults with their line numbers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from optimand.core.errors import InputError
from optimand.tasks.yamlfile import line_of

__all__ = ["GridForm", "PolicyForm", "StudyForm", "read_form", "study_schema"]

Limit = Annotated[int | None, Field(ge=0)]
Amount = Annotated[float | None, Field(ge=0, allow_inf_nan=False)]
Texts = dict[str, str] | list[str]

_WORDS = {
    "a valid string": "text",
    "a valid dictionary": "a mapping",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid list": "a list",
}
"""pydantic's words: ours."""


class _Strict(BaseModel):
    """No unknown fields, no silent conversion of types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, value: Any) -> Any:
        for key in value if isinstance(value, dict) else ():
            if key not in cls.model_fields:
                close = get_close_matches(str(key), cls.model_fields, 1)
                way = (
                    f"Did you mean {close[0]!r}?"
                    if close
                    else f"Known: {', '.join(cls.model_fields)}."
                )
                raise PydanticCustomError(
                    "unknown_field", "{text}", {"text": f"unknown field. {way}", "key": str(key)}
                )
        return value


class TurnForm(_Strict):
    """One few-shot exchange, sent as it is."""

    user: str
    assistant: str


class SettingsForm(_Strict):
    """What a policy and a grid's base have in common."""

    model: str | None = Field(None, description="Name of a model; not needed if there is only one.")
    prompt: str = Field("{input}", description="User turn, with {field} for fields of the input.")
    system: str = Field("", description="System prompt, with {field} for fields of the input.")
    turns: list[TurnForm] = Field(default_factory=list, description="Few-shot exchanges.")
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    stop: str | list[str] = Field(default_factory=list)
    parser: str | dict[str, Any] = Field("text", description="Parser's name, or type and options.")


class PolicyForm(SettingsForm):
    """One policy under its name."""

    name: str


class GridForm(SettingsForm):
    """Every combination of these lists; the other fields are the same for all."""

    prompts: Texts = Field(default_factory=list)
    systems: Texts = Field(default_factory=list)
    models: list[str] = Field(default_factory=list)
    temperatures: list[Annotated[float, Field(ge=0, le=2)]] = Field(default_factory=list)


class BudgetForm(_Strict):
    """Upper limits of what may be spent."""

    calls: Limit = None
    tokens: Limit = None
    usd: Amount = None
    seconds: Amount = None
    rollouts: Limit = None
    comparisons: Limit = None


class StudyForm(_Strict):
    """A study: which policy is best on these examples, by this judge?"""

    name: str = Field("study", min_length=1)
    policies: list[PolicyForm] = Field(default_factory=list)
    grid: GridForm | None = None
    models: dict[str, str | dict[str, Any]] | None = Field(
        None, description="Name to client spec, or to a mapping with `client` and options."
    )
    examples: str | list[Any] = Field(description="Path relative to this file, or a list.")
    judge: str | dict[str, Any] = Field(description="Judge's name, or a mapping with `type`.")
    confidence: float = Field(0.95, gt=0, lt=1)
    baseline: str | None = Field(
        None, description="Name of the policy that is kept unless another is proven better."
    )
    budget: BudgetForm = Field(default_factory=BudgetForm)
    indifference: float = Field(0.0, ge=0, lt=1)
    strategy: str | dict[str, Any] | None = Field(
        None, description="Strategy's name, or type and options; left out, it follows the judge."
    )
    seed: int = Field(0, ge=0)
    store: str = Field("optimand.db", description="Database, relative to this file, or a URL.")
    population: Literal["whole", "sample"] = "sample"


def study_schema() -> dict[str, Any]:
    """The JSON schema of a study file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **StudyForm.model_json_schema(),
        "title": "optimand study",
    }


def read_form(value: Any, node: yaml.Node | None, name: str) -> StudyForm:
    """The study in `value`. Raises InputError with every fault: file, line, field, way out."""
    if not isinstance(value, dict):
        raise InputError(
            f"{name} line 1: a study file is a mapping with policies, examples, judge."
        )
    try:
        return StudyForm.model_validate(value)
    except ValidationError as error:
        raise InputError("\n".join(_faults(error, node, name))) from None


def _faults(error: ValidationError, node: yaml.Node | None, name: str) -> list[str]:
    """One text for each place; a place where several types were possible names them all."""
    faults: dict[tuple[int, str], list[str]] = {}
    values: dict[tuple[int, str], str] = {}
    for detail in error.errors():
        path = _path(detail, node)
        line = line_of(node, path, key=detail["type"] == "unknown_field")
        place = (line, _dotted(path))
        faults.setdefault(place, []).append(_message(detail))
        values.setdefault(place, _shown(detail))
    return [
        f"{name} line {line}: {path}: {_joined(texts)}{values[line, path]}"
        for (line, path), texts in faults.items()
    ]


def _joined(texts: list[str]) -> str:
    first, *others = dict.fromkeys(texts)
    return " or ".join([first, *(text.removeprefix("must be ") for text in others)])


def _path(detail: ErrorDetails, node: yaml.Node | None) -> list[str | int]:
    """The steps that exist in the file, without pydantic's names of union members."""
    path: list[str | int] = []
    for step in detail["loc"]:
        if isinstance(node, yaml.MappingNode):
            parts = {str(key.value): part for key, part in node.value}
            if str(step) in parts:
                node = parts[str(step)]
                path.append(step)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            path.append(step)
    if detail["type"] == "unknown_field":
        path.append(detail["ctx"]["key"])
    elif detail["type"] == "missing":
        path.append(detail["loc"][-1])
    return path


def _dotted(path: list[str | int]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "study"


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "missing":
        return "this field is missing."
    if detail["type"] == "unknown_field":
        return str(detail["ctx"]["text"])
    text = detail["msg"].replace("Input should be", "must be")
    for theirs, ours in _WORDS.items():
        text = text.replace(theirs, ours)
    return text


def _shown(detail: ErrorDetails) -> str:
    """The value at fault, if it is short and is what the message is about."""
    value = detail["input"]
    plain = isinstance(value, str | int | float) and len(str(value)) <= 40
    return f", not {value!r}" if plain and detail["msg"].startswith("Input should be") else ""
