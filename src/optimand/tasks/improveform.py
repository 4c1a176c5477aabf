"""The form of a study file that improves one artifact."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from optimand.tasks.studyfile import BudgetForm, SettingsForm, StrictForm

__all__ = ["FunctionStudyForm", "ImproveStudyForm", "improve_schema"]

Examples = str | list[Any]


class SplitsForm(StrictForm):
    """Examples that are divided already."""

    train: Examples = Field(description="What the proposer may be shown.")
    val: Examples | None = Field(None, description="What chooses; left out, `train` does.")
    test: Examples | None = Field(None, description="What proves; left out, nothing is proven.")


class _SearchForm(StrictForm):
    """How to search, whatever the artifact is."""

    method: str | dict[str, Any] = Field("gepa", description="Method's name, or type and options.")
    proposer: str | dict[str, Any] | None = Field(
        None, description="Name or spec of the model that proposes, or a mapping from role to it."
    )
    change: str | list[str] | dict[str, Any] | None = Field(
        None, description="Parts that may change, or texts, settings, limits, fields."
    )


class ImproveForm(_SearchForm):
    """What to improve, and how."""

    artifact: SettingsForm = Field(description="The policy to start from.")


class FunctionForm(_SearchForm):
    """What to improve where a function of the user's own runs and scores it."""

    artifact: str | dict[str, Any] = Field(description="A text, or named texts and settings.")
    run: str = Field(description="`module:function`, called with (artifact, example, seed).")


class _CommonForm(StrictForm):
    """What all of them have."""

    name: str = Field("study", min_length=1)
    models: dict[str, str | dict[str, Any]] | None = Field(
        None, description="Name to client spec, or to a mapping with `client` and options."
    )
    examples: str | list[Any] | SplitsForm = Field(
        description="Path relative to this file, a list, or train, val and test with one each."
    )
    confidence: float = Field(0.95, gt=0, lt=1)
    budget: BudgetForm = Field(default_factory=BudgetForm)
    seed: int = Field(0, ge=0)
    store: str = Field("optimand.db", description="Database, relative to this file, or a URL.")


class ImproveStudyForm(_CommonForm):
    """A study: which policy is better than this one, and is it proven?"""

    judge: str | dict[str, Any] = Field(description="Judge's name, or a mapping with `type`.")
    improve: ImproveForm


class FunctionStudyForm(_CommonForm):
    """The same with a function that runs and scores."""

    improve: FunctionForm


def improve_schema() -> dict[str, Any]:
    """The JSON schema of a study file that improves a policy, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ImproveStudyForm.model_json_schema(),
        "title": "optimand study that improves",
    }
