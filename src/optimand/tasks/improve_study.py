"""A study that improves one artifact, from a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimand.artifacts.given import start_and_surface
from optimand.artifacts.policy import Policy
from optimand.artifacts.policy_checks import check_policies, field_shapes, policy_complaints
from optimand.core.artifact import Artifact, Candidate
from optimand.core.budget import Budget
from optimand.core.errors import InputError
from optimand.core.example import Endless, Example
from optimand.core.model import Client
from optimand.evaluation.judges.registry import check_judge, judge_from, judge_kind
from optimand.llm.secrets import shown_spec
from optimand.tasks.control.study import acting_complaints, control_task
from optimand.tasks.forms import FileReader, Spec, client_of, judge_models
from optimand.tasks.improveform import (
    ControlStudyForm,
    FunctionStudyForm,
    ImproveStudyForm,
    SplitsForm,
)
from optimand.tasks.splitting import search_splits
from optimand.tasks.studyfile import validated
from optimand.tasks.yamlfile import parse_yaml, read_text

if TYPE_CHECKING:
    from optimand.evaluation.judges.desk import Desk
    from optimand.tasks.control.task import ControlTask
    from optimand.tasks.function import FunctionTask
    from optimand.tasks.study import Connect
    from optimand.tasks.text import TextTask

__all__ = ["ImproveStudy", "improves", "load_improve_study"]

Form = ImproveStudyForm | FunctionStudyForm | ControlStudyForm


@dataclass(frozen=True)
class ImproveStudy:
    """What a study file with a section `improve` says, checked; the method is not looked up here.

    `artifact` is a policy, what the function `run` takes, or programs that act in the environment
    of `control`. `models` and `store` are as in Study;
    `proposers` maps a role to what `optimand.llm.connect` takes, "proposer" standing for any.
    `splits` are examples by split, "all" for one pool.
    """

    reader: FileReader = field(repr=False)
    name: str
    artifact: Policy | str | Mapping[str, Any]
    run: str | None
    models: Mapping[str, Spec]
    proposers: Mapping[str, tuple[str, Spec]]
    method: str | Mapping[str, Any]
    change: Any
    splits: Mapping[str, Sequence[Example]] = field(repr=False)
    judge: Mapping[str, Any] | None
    control: Mapping[str, Any] | None = None
    confidence: float = 0.95
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    store: str = field(default="optimand.db", repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The file."""
        return self.reader.file

    def fault(self, part: str, text: str) -> InputError:
        """An error at a field of `improve`, with its line."""
        return self.reader.error(["improve", part], text)

    def candidates(self) -> tuple[Candidate, ...]:
        """The start alone."""
        checks: Any = _Checks(self)
        return (start_and_surface(self.artifact, self.change, checks)[0],)

    def task(
        self, connect: Connect | None = None, desk: Desk | None = None
    ) -> TextTask | FunctionTask | ControlTask:
        """The task, with a client for each model in use; nothing is called yet.

        Functions given as `module:function` are imported here: this runs the user's own code.
        Raises InputError as `Study.task` does.
        """
        folder = self.path.parent
        if self.control is not None:
            return control_task(self.reader, self.control, self.name)
        if self.run is not None or self.judge is None:
            from optimand.evaluation.judges.loading import load_function
            from optimand.tasks.function import FunctionTask

            try:
                function = load_function(str(self.run), folder)
            except InputError as error:
                raise self.fault("run", str(error)) from None
            return FunctionTask(function, _source(self.splits), name=self.name)
        from optimand.tasks.text import TextTask

        assert isinstance(self.artifact, Policy)
        used = {self.artifact.model} | judge_models(self.judge)
        make = self._connect(connect)
        clients = {
            name: client_of(make, name, spec, self.path.name)
            for name, spec in self.models.items()
            if name in used
        }
        judge = judge_from(self.judge, clients=clients, desk=desk, folder=folder)
        return TextTask(_source(self.splits), judge, clients, name=self.name)

    def clients(self, connect: Connect | None = None) -> dict[str, Client]:
        """The proposers by role."""
        make = self._connect(connect)
        return {
            role: client_of(make, name, spec, self.path.name)
            for role, (name, spec) in self.proposers.items()
        }

    def _connect(self, given: Connect | None) -> Connect:
        if given is not None:
            return given
        from optimand.llm import connect

        return partial(connect, folder=self.path.parent)


def _source(splits: Mapping[str, Sequence[Example]]) -> Any:
    return splits["all"] if list(splits) == ["all"] else splits


class _Checks:
    """As much of the task as can be known before clients are made; it runs nothing."""

    def __init__(self, study: ImproveStudy) -> None:
        self.name, self.splits = study.name, study.splits
        self._acts = study.control is not None
        shown = () if self._acts else study.splits.values()
        self._shapes = field_shapes(e for split in shown for e in split)

    def check(self, artifact: Artifact) -> list[str]:
        """Errors of a policy or of programs; of anything else only its function knows."""
        if self._acts:
            return acting_complaints(artifact)
        if "prompt" not in artifact.parts or "model" not in artifact.parts:
            return []
        try:
            return policy_complaints(Policy.from_artifact(artifact), self._shapes)
        except InputError as error:
            return [str(error)]


def improves(value: Any) -> bool:
    """Whether the value of a study file improves one artifact; otherwise it picks."""
    return isinstance(value, Mapping) and "improve" in value


def load_improve_study(path: str | PathLike[str]) -> ImproveStudy:
    """The study in a YAML file with a section `improve`.

    Raises InputError that names file, line and field for everything that can be found wrong
    before a call is made, but for the method and its options.
    """
    file = Path(path)
    value, node = parse_yaml(read_text(file), file.name)
    reader = FileReader(file, node)
    if isinstance(value, Mapping) and not improves(value):
        text = "no field 'improve'. To pick among policies run `optimand pick`."
        raise reader.error([], text)
    kind: Any = value["improve"] if improves(value) else None
    has = kind if isinstance(kind, Mapping) else {}
    form: Form
    if "control" in has:
        form = validated(ControlStudyForm, value, node, file.name)
    elif "run" in has:
        form = validated(FunctionStudyForm, value, node, file.name)
    else:
        form = validated(ImproveStudyForm, value, node, file.name)
    return _study(reader, form)


def _study(reader: FileReader, form: Form) -> ImproveStudy:
    judge = _judge(form)
    named = sorted(judge_models(judge))
    if isinstance(form, ImproveStudyForm) and form.improve.artifact.model:
        named.insert(0, form.improve.artifact.model)
    models = reader.models(form.models, named)
    if judge is not None:
        try:
            check_judge(judge, models)
        except InputError as error:
            raise reader.error(["judge"], str(error)) from None
        if judge_kind(judge) == "pair":
            text = "improving needs scores. Take a judge that scores one output."
            raise reader.error(["judge"], text)
    artifact: Any = form.improve.artifact
    control = None
    if isinstance(form, ControlStudyForm):
        control = form.improve.control.model_dump()
        artifact = artifact or control_task(reader, control, form.name).start
    if isinstance(form, ImproveStudyForm):
        artifact = reader.policy(form.improve.artifact, models, ["improve", "artifact"])
    study = ImproveStudy(
        reader=reader,
        name=form.name,
        artifact=artifact,
        run=form.improve.run if isinstance(form, FunctionStudyForm) else None,
        models=models,
        proposers=_proposers(reader, form.improve.proposer, models),
        method=form.improve.method,
        change=form.improve.change,
        splits=_splits(reader, form),
        judge=judge,
        control=control,
        confidence=form.confidence,
        budget=reader.budget(form.budget),
        seed=form.seed,
        store=reader.place(form.store),
    )
    return _reviewed(study)


def _judge(form: Form) -> Mapping[str, Any] | None:
    if not isinstance(form, ImproveStudyForm):
        return None
    return {"type": form.judge} if isinstance(form.judge, str) else form.judge


def _splits(reader: FileReader, form: Form) -> dict[str, Sequence[Example]]:
    if isinstance(form, ControlStudyForm):
        return {"all": Endless()}
    given = form.examples
    if not isinstance(given, SplitsForm):
        return {"all": reader.examples(given, ["examples"])}
    parts = {"train": given.train, "val": given.val, "test": given.test}
    return {
        name: reader.examples(source, ["examples", name])
        for name, source in parts.items()
        if source is not None
    }


def _proposers(
    reader: FileReader, given: Any, models: Mapping[str, Spec]
) -> dict[str, tuple[str, Spec]]:
    """Each role with the name of its model, or its spec, and what makes the client."""
    if given is None:
        return {}
    if isinstance(given, str) or "client" in given:
        given = {"proposer": given}
    return {role: _proposer(reader, role, spec, models) for role, spec in given.items()}


def _proposer(
    reader: FileReader, role: str, spec: Any, models: Mapping[str, Spec]
) -> tuple[str, Spec]:
    path: list[str | int] = ["improve", "proposer", role]
    if isinstance(spec, Mapping) and isinstance(spec.get("client"), str):
        return role, spec
    if not isinstance(spec, str):
        raise reader.error(path, "name a model, or give a mapping with 'client' and its options.")
    if spec in models:
        return spec, models[spec]
    if ":" in spec or spec == "embedded":
        return spec, spec
    known = ", ".join(map(shown_spec, models)) or "none"
    text = f"the model {shown_spec(spec)!r} is unknown. Known: {known}. Or write its client spec."
    raise reader.error(path, text)


def _reviewed(study: ImproveStudy) -> ImproveStudy:
    """The study with its warnings. Raises InputError for what cannot be improved."""
    checks: Any = _Checks(study)
    try:
        start_and_surface(study.artifact, study.change, checks)
    except InputError as error:
        part = "artifact" if str(error).startswith("the artifact to improve") else "change"
        raise study.fault(part, str(error)) from None
    try:
        search_splits(checks, study.seed)
    except InputError as error:
        raise study.reader.error(["examples"], str(error)) from None
    if not isinstance(study.artifact, Policy):
        return study
    shown: list[Example] = [e for split in study.splits.values() for e in split]
    found = check_policies([study.artifact.candidate("start")], shown)
    said = [str(study.fault("artifact", c.message)) for c in found if c.severity == "warning"]
    return replace(study, warnings=tuple(said))
