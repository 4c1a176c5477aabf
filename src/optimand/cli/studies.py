"""Which study a user means: by its name, the beginning of its name, or its file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from optimand.cli.common import command

if TYPE_CHECKING:
    from optimand.core.store import Store, StudyInfo
    from optimand.tasks.improve_study import ImproveStudy
    from optimand.tasks.study import Study

    StudyFile = Study | ImproveStudy

__all__ = ["DEFAULT_STORE", "find_study", "load_any", "opened", "place_of", "reading", "verb_of"]

DEFAULT_STORE = "optimand.db"


@contextmanager
def opened(study: str, where: str | None) -> Iterator[tuple[Store, StudyInfo]]:
    """The store, open for reading only, and the study in it that is meant.

    `study` is a name, a beginning of one, or a study file, which also says where its store is.
    Raises InputError where no study or several are meant, StorageError without a store.
    """
    file, place = _file(study), place_of(study, where)
    made = f"`{command(verb_of(file), study)}` makes it" if file else "`optimand pick` makes one"
    with reading(place, f"{made}; to look into another, add --store FILE") as store:
        infos = store.studies()
        yield store, (_of_file(infos, file, place) if file else find_study(infos, study, place))


@contextmanager
def reading(place: str, hint: str) -> Iterator[Store]:
    """A store, open for reading only; where there is none the error says the `hint`."""
    from optimand.core.errors import StorageError
    from optimand.storage.connect import connect
    from optimand.storage.files import NoSuchStore

    try:
        found = connect(place, read_only=True)
    except NoSuchStore as error:
        raise StorageError(f"{place}: no such store. {hint}.") from error
    with closing(found) as store:
        yield store


def place_of(study: str, where: str | None) -> str:
    """The store that is meant: the one given, the study file's, or the default."""
    file = None if where else _file(study)
    return where or (file.store if file else DEFAULT_STORE)


def find_study(infos: list[StudyInfo], wanted: str, where: str) -> StudyInfo:
    """The study of this name, or the only one whose name begins so."""
    from difflib import get_close_matches

    from optimand.core.errors import InputError

    exact = [info for info in infos if info.name == wanted]
    found = exact or [info for info in infos if info.name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(info.name for info in found)
        raise InputError(f"{where}: {wanted!r} begins several: {several}. Write more of the name.")
    names = [info.name for info in infos]
    near = get_close_matches(wanted, names, 3, 0.4) or names[-5:]
    known = f"Nearest: {', '.join(near)}." if near else "The store is empty."
    raise InputError(f"{where}: no study {wanted!r}. {known}")


def verb_of(file: StudyFile) -> str:
    """The command that runs a study file."""
    return "improve" if hasattr(file, "method") else "pick"


def _file(study: str) -> StudyFile | None:
    path = Path(study)
    try:
        if path.suffix not in (".yaml", ".yml") or not path.is_file():
            return None
    except OSError:  # too long for a file's name
        return None
    return load_any(path)


def load_any(path: Path) -> StudyFile:
    """The study in a file, whether it picks or improves. Raises InputError with the lines."""
    from optimand.tasks.improve_study import improves, load_improve_study
    from optimand.tasks.study import load_study
    from optimand.tasks.yamlfile import parse_yaml, read_text

    value, _ = parse_yaml(read_text(path), path.name)
    return load_improve_study(path) if improves(value) else load_study(path)


def _of_file(infos: list[StudyInfo], file: StudyFile, where: str) -> StudyInfo:
    """The latest study that this file, as it is now, began."""
    from optimand.core.errors import InputError

    ids = {candidate.id for candidate in file.candidates()}
    for info in reversed(infos):
        known = info.settings
        asked = (known.get("task"), known.get("confidence"), known.get("seed"))
        same = asked == (file.name, file.confidence, file.seed)
        improving = isinstance(known.get("method"), dict) == (verb_of(file) == "improve")
        if same and improving and set(known.get("candidates", ())) == ids:
            return info
    raise InputError(
        f"{where}: the study of {file.path.name}, as it is now, has not been run; "
        f"`{command('list', where)}` shows those that have"
    )
