"""The form of a study file that improves one artifact."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from optimand.tasks.studyfile import BudgetForm, SettingsForm, StrictForm

__all__ = ["ControlStudyForm", "FunctionStudyForm", "ImproveStudyForm", "improve_schema"]

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


class EnvironmentForm(StrictForm):
    """The environment in which policies act, and how they are scored."""

    env: str = Field(
        description="Gymnasium's id, one of optimand's own worlds, or `module:function`."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="Arguments of the environment."
    )
    scale: list[float] | None = Field(None, description="The returns that score 0 and 1.")
    success: bool = Field(False, description="Score by the environment's `success` instead.")
    about: str = Field("", description="What to tell of it; left out, its own documentation.")
    reward: str = Field("", description="How the reward is made, in words or as source.")
    max_steps: int | None = Field(None, ge=1, description="Of an episode; its own by default.")
    width: int = Field(1, ge=1, description="Episodes side by side.")
    sandbox: str | None = Field(None, description="Tier by name; the best that works by default.")


class ControlForm(_SearchForm):
    """What to improve where programs act in an environment."""

    control: EnvironmentForm
    artifact: dict[str, str] | None = Field(
        None, description="Start: `policy` and `summary`; left out, a policy that acts at random."
    )
    method: str | dict[str, Any] = Field("promptpo", description="As for any artifact.")


class _CommonForm(StrictForm):
    """What all of them have."""

    name: str = Field("study", min_length=1)
    models: dict[str, str | dict[str, Any]] | None = Field(
        None, description="Name to client spec, or to a mapping with `client` and options."
    )
    confidence: float = Field(0.95, gt=0, lt=1)
    budget: BudgetForm = Field(default_factory=BudgetForm)
    seed: int = Field(0, ge=0)
    store: str = Field("optimand.db", description="Database, relative to this file, or a URL.")


class _ExamplesForm(_CommonForm):
    """What those with examples have."""

    examples: str | list[Any] | SplitsForm = Field(
        description="Path relative to this file, a list, or train, val and test with one each."
    )


class ImproveStudyForm(_ExamplesForm):
    """A study: which policy is better than this one, and is it proven?"""

    judge: str | dict[str, Any] = Field(description="Judge's name, or a mapping with `type`.")
    improve: ImproveForm


class FunctionStudyForm(_ExamplesForm):
    """The same with a function that runs and scores."""

    improve: FunctionForm


class ControlStudyForm(_CommonForm):
    """The same with programs that act in an environment."""

    improve: ControlForm


def improve_schema() -> dict[str, Any]:
    """The JSON schema of a study file that improves a policy, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ImproveStudyForm.model_json_schema(),
        "title": "optimand study that improves",
    }
