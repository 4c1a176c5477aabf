"""The checks of `optimand doctor`. None of them calls a service or writes anything."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from optimand.cli.common import NAMES
from optimand.cli.studies import DEFAULT_STORE, verb_of

if TYPE_CHECKING:
    from optimand.cli.studies import StudyFile

__all__ = ["Check", "checks"]

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "PGPASSWORD")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
EXTRAS = {
    "embedded": "xllamacpp",
    "postgres": "psycopg",
    "frame": "pandas",
    "control": "gymnasium",
    "physics": "mujoco",
}


@dataclass(frozen=True)
class Check:
    """One finding: a fault stops a run, a note may matter."""

    what: str
    state: Literal["ok", "note", "fault"]
    text: str


def checks(study: Path | None, store: str | None) -> list[Check]:
    """All findings, the study's last."""
    found = [_python(), _version(), *_extras(), _model(), *_keys(), _threads(), _sandbox()]
    loaded, findings = _study(study)
    if loaded and any(_client(spec) == "embedded" for spec in _specs(loaded)):
        found = [_needed(check) for check in found]
    place = store or (loaded.store if loaded else DEFAULT_STORE)
    return [*found, _store(place, verb_of(loaded) if loaded else "pick"), *findings]


def _python() -> Check:
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Check("python", "ok", text)  # an older one than needed could not have installed this


def _version() -> Check:
    from optimand.provenance import own_version

    return Check("optimand", "ok", own_version())


def _extras() -> Iterator[Check]:
    for extra, module in EXTRAS.items():
        if find_spec(module):
            yield Check(f"extra {extra}", "ok", "installed")
        else:
            text = f"not installed; if you need it: pip install 'optimand[{extra}]'"
            yield Check(f"extra {extra}", "note", text)


def _model() -> Check:
    from optimand.core.errors import SetupError
    from optimand.llm import models

    try:
        path = models.locate()
    except SetupError as error:
        return Check("embedded model", "note", str(error))
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != models.SHA256:
        text = f"{path} is not the expected file; delete it and run `optimand models pull`"
        return Check("embedded model", "fault", text)
    return Check("embedded model", "ok", f"{path}, hash as expected")


def _sandbox() -> Check:
    """Which way of shutting programs in is taken, and why none that is better."""
    from optimand.evaluation.sandbox.tiers import TIERS, probe

    found = probe()
    better = "; ".join(f"not {name}: {why}" for name, why in found.items() if why)
    works = next((n for n, why in found.items() if not why and n != "unprotected"), "")
    if not works:
        text = f"none works, so programs of a model cannot be run ({better})"
        return Check("sandbox", "note", f"{text}: apt install bubblewrap")
    why = f" ({better})" if better else ""
    return Check("sandbox", "ok", f"{works}: {TIERS[works].about}{why}")


def _client(model: Any) -> Any:
    """The client that a model of a study file is behind: its text, or the field of a mapping."""
    return model.get("client") if isinstance(model, Mapping) else model


def _specs(study: StudyFile) -> list[Any]:
    """Every model of the file, and what an improvement names as proposers."""
    proposers: Mapping[str, Any] = getattr(study, "proposers", {})
    return [*study.models.values(), *(spec for _, spec in proposers.values())]


def _needed(check: Check) -> Check:
    """What is a note in general is a fault for a study on the embedded model."""
    if check.state == "note" and check.what in ("embedded model", "extra embedded"):
        return replace(check, state="fault")
    return check


def _keys() -> Iterator[Check]:
    """Whether variables are set; what they hold is nobody's business."""
    for name in KEYS:
        state = "set" if os.environ.get(name, "").strip() else "not set"
        yield Check(name, "ok", state)


def _threads() -> Check:
    cores = os.cpu_count() or 1
    said = ", ".join(f"{name}={os.environ[name]}" for name in THREADS if os.environ.get(name))
    if said:
        return Check("threads", "ok", f"{cores} cores; {said}")
    text = f"{cores} cores; set OMP_NUM_THREADS=1 where several runs share them"
    return Check("threads", "ok" if cores <= 2 else "note", text)


def _store(place: str, verb: str) -> Check:
    from optimand.core.errors import OptimandError

    try:
        return _store_at(place, verb)
    except (OptimandError, *NAMES) as error:
        return Check("store", "fault", str(error))


def _store_at(place: str, verb: str) -> Check:
    from optimand.core.paths import file_path
    from optimand.storage.connect import connect

    if "://" not in place:
        file = file_path(place)
        folder = file.absolute().parent
        if not folder.is_dir():
            return Check("store", "fault", f"{folder}: no such folder; make it first")
        if not file.exists():
            if not os.access(folder, os.W_OK):
                return Check("store", "fault", f"{folder}: not writable; choose another store")
            return Check("store", "ok", f"{place} is not there yet; `optimand {verb}` makes it")
    with closing(connect(place, read_only=True)) as store:
        count = len(store.studies())
    if "://" not in place and not os.access(place, os.W_OK):
        return Check("store", "fault", f"{place}: not writable, so that only reading works")
    return Check("store", "ok", f"{store.url}: {count} studies")


def _study(path: Path | None) -> tuple[StudyFile | None, list[Check]]:
    """The study and what was found; it is None where it cannot be read."""
    if path is None:
        return None, []
    from optimand.cli.studies import load_any
    from optimand.core.errors import OptimandError
    from optimand.evaluation.judges.desk import MemoryDesk

    try:
        study = load_any(path)
    except OptimandError as error:
        return None, [Check("study", "fault", str(error))]
    found = [
        Check("study", "ok", _size(study)),
        *(Check("study", "note", w) for w in study.warnings),
    ]
    attempts: list[tuple[str, Callable[[], object]]] = [
        ("models and judge", lambda: study.task(desk=MemoryDesk())),
        _plan(study),
    ]
    for what, attempt in attempts:
        try:
            attempt()
        except OptimandError as error:
            found.append(Check(what, "fault", str(error)))
        else:
            found.append(Check(what, "ok", "ready"))
    return study, found


def _size(study: StudyFile) -> str:
    from optimand.tasks.improve_study import ImproveStudy

    if isinstance(study, ImproveStudy):
        if study.control is not None:
            return f"programs that act in {study.control['env']}, episodes without end"
        sizes = ", ".join(f"{len(split)} {name}" for name, split in study.splits.items())
        return f"one artifact to improve, examples: {sizes.replace(' all', '')}"
    return f"{len(study.policies)} policies, {len(study.examples)} examples"


def _plan(study: StudyFile) -> tuple[str, Callable[[], object]]:
    """What decides what is run next: a strategy, or a method with the models it asks."""
    from optimand.cli.improving import method_of
    from optimand.tasks.improve_study import ImproveStudy

    if isinstance(study, ImproveStudy):
        return "method", lambda: (method_of(study), study.clients())
    return "strategy", study.rule
