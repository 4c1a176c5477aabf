"""Names that every store can give a study."""

from __future__ import annotations

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = ["check_name"]


def check_name(study: object) -> None:
    """Raise InputError unless `study` is a name that every kind of store can hold."""
    if not isinstance(study, str) or not study:
        raise InputError(f"study {shown(study)}: a study's name must be a text, and not empty.")
    try:
        study.encode()
        sound = "\0" not in study
    except UnicodeEncodeError:
        sound = False
    if not sound:
        raise InputError(
            f"study {shown(study)}: its name has a character that is no text (NUL, or half of a "
            "surrogate pair) and cannot be stored. Give the task another name."
        )
