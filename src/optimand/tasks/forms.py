"""From the forms of a study file to policies, models, examples and limits, faults with lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from optimand.artifacts.policy import Policy
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.model import Client
from optimand.evaluation.parsers import parser_from
from optimand.llm.secrets import shown_spec
from optimand.tasks.examples import Examples, examples_from_rows, load_examples
from optimand.tasks.studyfile import BudgetForm, GridForm, SettingsForm
from optimand.tasks.yamlfile import line_of

__all__ = ["FileReader", "Spec", "client_of", "judge_models"]

Spec = str | Mapping[str, Any]
"""What `optimand.llm.connect` takes: a client spec, or a mapping with it as `client`."""


def client_of(connect: Any, name: str, spec: Spec, file: str) -> Client:
    """The client behind a model's name. Raises InputError, naming file and model."""
    options = {"client": spec} if isinstance(spec, str) else dict(spec)
    try:
        client: Client = connect(options.pop("client"), **options)
    except InputError as error:
        raise InputError(f"{file}: model {shown_spec(name)!r}: {error}") from None
    return client


def judge_models(judge: Any) -> set[str]:
    """The names of the models that a judge, or a judge within it, asks."""
    if not isinstance(judge, Mapping):
        return set()
    own = judge.get("model")
    return ({own} if isinstance(own, str) else set()) | judge_models(judge.get("score"))


@dataclass(frozen=True)
class FileReader:
    """The parts that every kind of study file has in common."""

    file: Path
    node: yaml.Node | None

    def error(self, path: Sequence[str | int], text: str) -> InputError:
        """The text with file and line in front."""
        return InputError(f"{self.file.name} line {line_of(self.node, path)}: {text}")

    def place(self, store: str) -> str:
        """A store's path relative to the file, or its URL."""
        return store if "://" in store else str(self.file.parent / store)

    def budget(self, form: BudgetForm) -> Budget:
        """The limits."""
        try:
            return Budget(**form.model_dump())
        except InputError as error:
            raise self.error(["budget"], str(error)) from None

    def models(
        self, given: Mapping[str, str | dict[str, Any]] | None, named: Sequence[str]
    ) -> dict[str, Spec]:
        """The models given, or else every model that is named, taken as its own spec."""
        if given is None:
            return {name: name for name in named}
        for name, spec in given.items():
            if isinstance(spec, dict) and not isinstance(spec.get("client"), str):
                raise self.error(["models", name], "no field 'client', such as openai:MODEL.")
        return dict(given)

    def policy(
        self, form: SettingsForm, models: Mapping[str, Spec], path: list[str | int]
    ) -> Policy:
        """One policy; its model may be left out where there is only one."""
        model = form.model or (form.models[0] if isinstance(form, GridForm) and form.models else "")
        if not model and len(models) == 1:
            model = next(iter(models))
        if not model:
            raise self.error(path, "no field 'model'. Name one of the models.")
        self.known(model, models, [*path, "model"])
        try:
            parser_from(form.parser)
        except InputError as error:
            raise self.error([*path, "parser"], str(error)) from None
        fields = form.model_dump(include=set(Policy.__dataclass_fields__))
        turns = tuple((turn.user, turn.assistant) for turn in form.turns)
        return Policy(**(fields | {"model": model, "turns": turns}))

    def known(self, model: str, models: Mapping[str, Spec], path: list[str | int]) -> None:
        """Raises InputError for a model that the file does not have."""
        if model not in models:
            known = ", ".join(map(shown_spec, models))
            shown = shown_spec(model)
            raise self.error(path, f"the model {shown!r} is unknown. Known: {known}.")

    def examples(self, source: str | Sequence[Any], path: list[str | int]) -> Examples:
        """The examples of a file, or those written here."""
        if isinstance(source, str):
            return load_examples(self.file.parent / source)
        if not source:
            raise self.error(path, "there are no examples. A study needs at least one.")
        lines = [line_of(self.node, [*path, index]) for index in range(len(source))]
        rows = [
            (f"{self.file.name} line {line}", row) for line, row in zip(lines, source, strict=True)
        ]
        return examples_from_rows(rows)
