"""A study from a YAML file: policies, models, examples, judge, limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from optimand.artifacts.grid import grid
from optimand.artifacts.policy import Policy
from optimand.artifacts.policy_checks import Complaint, check_policies, require
from optimand.core.artifact import Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.model import Client
from optimand.evaluation.judges.registry import check_judge, judge_from, judge_kind
from optimand.tasks.forms import FileReader, Spec, client_of, judge_models
from optimand.tasks.studyfile import GridForm, StudyForm, read_form, study_schema
from optimand.tasks.yamlfile import line_of, parse_yaml, read_text

if TYPE_CHECKING:
    from optimand.core.action import Strategy
    from optimand.evaluation.judges.desk import Desk
    from optimand.tasks.text import TextTask

__all__ = ["Study", "load_study", "study_schema"]

Connect = Callable[..., Client]
"""From a client spec, and options by name, to a client."""


@dataclass(frozen=True)
class Study:
    """What a study file says, checked. `warnings` are findings that may be meant.

    `models` maps a model's name to what `optimand.llm.connect` takes: a client spec, or a mapping
    with the spec as `client` and options. `store` is a path or a database URL. `warm_start`: store
    and name of an earlier study.
    """

    name: str
    path: Path
    policies: Mapping[str, Policy]
    models: Mapping[str, Spec]
    examples: tuple[Example, ...] = field(repr=False)
    judge: Mapping[str, Any]
    confidence: float = 0.95
    baseline: str | None = None
    budget: Budget = field(default_factory=Budget)
    indifference: float = 0.0
    strategy: str | Mapping[str, Any] | None = None
    seed: int = 0
    store: str = field(default="optimand.db", repr=False)
    population: Literal["whole", "sample"] = "sample"
    warm_start: tuple[str, str] | None = field(default=None, repr=False)
    warnings: tuple[str, ...] = ()

    def candidates(self) -> tuple[Candidate, ...]:
        """The policies as candidates, in the order of the file."""
        return tuple(policy.candidate(name) for name, policy in self.policies.items())

    def task(self, connect: Connect | None = None, desk: Desk | None = None) -> TextTask:
        """The task, with a client for each model in use; nothing is called yet.

        A judge given as `module:function` is imported here, from the study's folder first: this
        runs the user's own code. `desk` is where a human judge asks. Raises InputError for
        examples that the judge cannot use, and what `connect` raises.
        """
        from optimand.tasks.text import TextTask

        if connect is None:
            from optimand.llm import connect as by_spec

            connect = partial(by_spec, folder=self.path.parent)
        used = {policy.model for policy in self.policies.values()} | judge_models(self.judge)
        clients = {
            name: client_of(connect, name, spec, self.path.name)
            for name, spec in self.models.items()
            if name in used
        }
        judge = judge_from(self.judge, clients=clients, desk=desk, folder=self.path.parent)
        return TextTask(self.examples, judge, clients, name=self.name, population=self.population)

    def rule(self) -> Strategy:
        """The strategy that the study asks for, or the default for its judge; with its baseline.

        Raises InputError for one that is not known or does not fit the judge or the policies.
        """
        from optimand.strategies.pick.specs import with_baseline

        return with_baseline(self.plain_rule(), self.baseline, self.candidates())

    def plain_rule(self) -> Strategy:
        """The strategy without the baseline; raises InputError as `rule` does."""
        from optimand.strategies.pick.specs import strategy_from

        return strategy_from(
            self.strategy,
            list(self.policies),
            pairs=judge_kind(self.judge) == "pair",
            delta=1.0 - self.confidence,
            indifference=self.indifference,
        )


def load_study(path: str | PathLike[str]) -> Study:
    """The study in a YAML file.

    Raises InputError that names file, line and field for everything that can be found wrong
    before a call is made.
    """
    file = Path(path)
    value, node = parse_yaml(read_text(file), file.name)
    if isinstance(value, dict) and "improve" in value:
        raise InputError(
            f"{file.name} line {line_of(node, ['improve'], key=True)}: this study improves one "
            f"artifact and picks among none. Run `optimand improve {file.name}`."
        )
    return _Reader(file, node, read_form(value, node, file.name)).study()


@dataclass(frozen=True)
class _Reader(FileReader):
    """A study file on its way to a study."""

    form: StudyForm

    def study(self) -> Study:
        form = self.form
        judge = {"type": form.judge} if isinstance(form.judge, str) else form.judge
        models = self.models(form.models, self._named(judge))
        policies = self._policies(models)
        examples = self.examples(form.examples, ["examples"])
        try:
            check_judge(judge, models)
        except InputError as error:
            raise self.error(["judge"], str(error)) from None
        study = Study(
            name=form.name,
            path=self.file,
            policies=policies,
            models=models,
            examples=examples,
            judge=judge,
            confidence=form.confidence,
            baseline=form.baseline,
            budget=self.budget(form.budget),
            indifference=form.indifference,
            strategy=form.strategy,
            seed=form.seed,
            store=self.place(form.store),
            warm_start=self._warm_start(),
            population=form.population,
            warnings=self._review(policies, examples),
        )
        for about, make in (("strategy", study.plain_rule), ("baseline", study.rule)):
            try:
                make()
            except InputError as error:
                raise self.error([about], str(error)) from None
        return study

    def _warm_start(self) -> tuple[str, str] | None:
        given = self.form.warm_start
        return (self.place(given.store or self.form.store), given.study) if given else None

    def _named(self, judge: Mapping[str, Any]) -> list[str]:
        """Every model that the file names."""
        forms = [*self.form.policies, *([self.form.grid] if self.form.grid else [])]
        named = [form.model for form in forms if form.model]
        named += self.form.grid.models if self.form.grid else []
        return [*named, *sorted(judge_models(judge))]

    def _policies(self, models: Mapping[str, Spec]) -> dict[str, Policy]:
        policies: dict[str, Policy] = {}
        for index, form in enumerate(self.form.policies):
            if form.name in policies:
                text = f"two policies are named {form.name!r}. Give each its own name."
                raise self.error(["policies", index, "name"], text)
            policies[form.name] = self.policy(form, models, ["policies", index])
        if self.form.grid is not None:
            policies |= self._grid(self.form.grid, models, set(policies))
        if not policies:
            raise self.error([], "there are no policies. Add some under 'policies' or 'grid'.")
        return policies

    def _grid(
        self, form: GridForm, models: Mapping[str, Spec], taken: set[str]
    ) -> dict[str, Policy]:
        base = self.policy(form, models, ["grid"])
        try:
            made = grid(
                base,
                prompts=form.prompts,
                systems=form.systems,
                models=form.models,
                temperatures=form.temperatures,
            )
            for model in form.models:
                self.known(model, models, ["grid", "models"])
        except InputError as error:
            raise self.error(["grid"], str(error)) from None
        for name in made:
            if name in taken:
                raise self.error(["grid"], f"the grid makes {name!r}, which is also a policy.")
        return made

    def _review(
        self, policies: Mapping[str, Policy], examples: tuple[Example, ...]
    ) -> tuple[str, ...]:
        """Warnings about the policies. Raises InputError for errors, each with its line."""
        candidates = [policy.candidate(name) for name, policy in policies.items()]
        found = check_policies(candidates, examples)
        placed = [self._placed(complaint) for complaint in found]
        require(placed)
        return tuple(complaint.message for complaint in placed)

    def _placed(self, complaint: Complaint) -> Complaint:
        """The complaint with the line of the policy, and of its part, that it speaks of."""
        path: list[str | int] = ["policies" if self.form.policies else "grid"]
        for index, form in enumerate(self.form.policies):
            start = f"policy {form.name!r}: "
            if complaint.message.startswith(start):
                part = complaint.message.removeprefix(start).split()[0].rstrip(":")
                path = ["policies", index, part]
        return replace(complaint, message=str(self.error(path, complaint.message)))
