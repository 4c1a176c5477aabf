"""The form of a study file, as pydantic models, and its faults with their line numbers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from optimand.core.errors import InputError
from optimand.tasks.yamlfile import line_of

__all__ = [
    "BudgetForm",
    "GridForm",
    "PolicyForm",
    "SettingsForm",
    "StrictForm",
    "StudyForm",
    "TurnForm",
    "read_form",
    "study_schema",
    "validated",
]

F = TypeVar("F", bound=BaseModel)

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


class StrictForm(BaseModel):
    """No unknown fields, no silent conversion of types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    such: ClassVar[str] = ""
    """An example, for the message where something else stands."""

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, value: Any) -> Any:
        if not isinstance(value, dict | StrictForm):
            text = "must be a mapping" + (f", such as {cls.such}" if cls.such else "")
            raise PydanticCustomError("not_a_mapping", "{text}", {"text": text})
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


class TurnForm(StrictForm):
    """One few-shot exchange, sent as it is."""

    such: ClassVar[str] = '{user: "2+2?", assistant: "4"}'
    user: str = Field(description="What was asked.")
    assistant: str = Field(description="What was answered.")


class SettingsForm(StrictForm):
    """What a policy and a grid's base have in common."""

    model: str | None = Field(None, description="Name of a model; not needed if there is only one.")
    prompt: str = Field("{input}", description="User turn, with {field} for fields of the input.")
    system: str = Field("", description="System prompt, with {field} for fields of the input.")
    turns: list[TurnForm] = Field(default_factory=list, description="Few-shot exchanges.")
    temperature: float | None = Field(
        None, ge=0, le=2, description="How random replies are; left out, the service's default."
    )
    top_p: float | None = Field(
        None, gt=0, le=1, description="Share of the likeliest tokens that are drawn from."
    )
    max_tokens: int | None = Field(None, ge=1, description="Longest reply, in tokens.")
    stop: str | list[str] = Field(
        default_factory=list, description="A text, or texts, at which a reply ends."
    )
    parser: str | dict[str, Any] = Field("text", description="Parser's name, or type and options.")


class PolicyForm(SettingsForm):
    """One policy under its name."""

    such: ClassVar[str] = '{name: terse, prompt: "{input}", max_tokens: 12}'
    name: str = Field(description="What results call it; each name once.")


class GridForm(SettingsForm):
    """Every combination of these lists; the other fields are the same for all."""

    such: ClassVar[str] = '{prompts: {short: "{input}", polite: "Please: {input}"}}'
    prompts: Texts = Field(
        default_factory=list, description="User turns: a list, or a mapping from names to them."
    )
    systems: Texts = Field(
        default_factory=list, description="System prompts: a list, or a mapping from names to them."
    )
    models: list[str] = Field(default_factory=list, description="Names of models.")
    temperatures: list[Annotated[float, Field(ge=0, le=2)]] = Field(
        default_factory=list, description="Temperatures, each from 0 to 2."
    )


class BudgetForm(StrictForm):
    """Upper limits of what may be spent."""

    such: ClassVar[str] = "{rollouts: 30}"
    calls: Limit = Field(default=None, description="Calls of models, the judge's too.")
    tokens: Limit = Field(default=None, description="Tokens in and out, the judge's too.")
    usd: Amount = Field(default=None, description="Dollars; each model in use needs a known price.")
    seconds: Amount = Field(
        default=None, description="Time the study was active, over all sessions."
    )
    rollouts: Limit = Field(default=None, description="Runs of a policy on an example.")
    comparisons: Limit = Field(default=None, description="Judged pairs.")
    steps: Limit = Field(default=None, description="Steps of simulated environments.")


class WarmStartForm(StrictForm):
    """The earlier study that this one goes on from."""

    such: ClassVar[str] = "{study: capitals-1a2b3c4d}"
    study: str = Field(min_length=1, description="Its name.")
    store: str | None = Field(None, description="Its database; left out, that of this study.")


class StudyForm(StrictForm):
    """A study: which policy is best on these examples, by this judge?"""

    name: str = Field("study", min_length=1, description="What its name in the store begins with.")
    policies: list[PolicyForm] = Field(
        default_factory=list, description="What to choose among, one by one (see below)."
    )
    grid: GridForm | None = Field(
        None, description="What to choose among, as all combinations of some lists (see below)."
    )
    models: dict[str, str | dict[str, Any]] | None = Field(
        None, description="Name to client spec, or to a mapping with `client` and options."
    )
    examples: str | list[Any] = Field(description="Path relative to this file, or a list.")
    judge: str | dict[str, Any] = Field(description="Judge's name, or a mapping with `type`.")
    confidence: float = Field(
        0.95, gt=0, lt=1, description="Probability that a decided answer is truly best."
    )
    baseline: str | None = Field(
        None, description="Name of the policy that is kept unless another is proven better."
    )
    budget: BudgetForm = Field(
        default_factory=BudgetForm, description="Limits; left out, there are none (see below)."
    )
    indifference: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Difference, in score or in win rate above one half, that does not matter: "
        "the study also ends when no rival is better by it.",
    )
    strategy: str | dict[str, Any] | None = Field(
        None,
        description="`race` or `halving` for scores, `duel` or `llm-po` for pairs: the name, or a "
        "mapping with `type` and options; left out, `race` or `duel`, as the judge has it.",
    )
    seed: int = Field(0, ge=0, description="Fixes the order of examples and every other draw.")
    warm_start: WarmStartForm | None = Field(
        None, description="An earlier study with the same judge, whose evidence is carried on."
    )
    store: str = Field("optimand.db", description="Database, relative to this file, or a URL.")
    population: Literal["whole", "sample"] = Field(
        "sample", description="Whether the examples are all that matters, or a sample (see above)."
    )


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
    return validated(StudyForm, value, node, name)


def validated(form: type[F], value: Any, node: yaml.Node | None, name: str) -> F:
    """The value in this form. Raises InputError as `read_form` does."""
    try:
        return form.model_validate(value)
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
    return text.removeprefix(".")[:200] or "study"


def _message(detail: ErrorDetails) -> str:
    if detail["type"] == "missing":
        return "this field is missing."
    if detail["type"] in ("unknown_field", "not_a_mapping"):
        return str(detail["ctx"]["text"])
    text = detail["msg"].replace("Input should be", "must be")
    for theirs, ours in _WORDS.items():
        text = text.replace(theirs, ours)
    return text


def _shown(detail: ErrorDetails) -> str:
    """The value at fault, if it is short and is what the message is about."""
    value = detail["input"]
    plain = isinstance(value, str | int | float) and len(str(value)) <= 40
    about = detail["msg"].startswith("Input should be") or detail["type"] == "not_a_mapping"
    return f", not {value!r}" if plain and about else ""
