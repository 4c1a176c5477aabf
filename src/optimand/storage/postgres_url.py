"""PostgreSQL URLs: what to connect with, and what may be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from optimand.core.errors import InputError, SetupError

__all__ = ["PostgresUrl", "read_url"]

# At most one @, and nothing before it that would end a user's or a password's part early:
# otherwise a piece of a password is taken for a host, and shown.
# Nor a NUL, which would end the URL for the driver, or half of a surrogate pair.
_SHAPE = re.compile("postgres(ql)?://([^/@?#\0\ud800-\udfff]*@)?[^@#\0\ud800-\udfff]*")
_SECRETS = ("password", "sslpassword")


@dataclass(frozen=True)
class PostgresUrl:
    """`shown` has neither password nor options; `parameters` are what psycopg connects with."""

    shown: str
    parameters: Mapping[str, Any] = field(repr=False)

    def without_secrets(self, text: str) -> str:
        """The text with every secret of this URL blotted out."""
        for name in _SECRETS:
            if secret := self.parameters.get(name):
                for form in (str(secret), quote(str(secret), safe="")):
                    text = text.replace(form, "***")
        return text


def read_url(url: str) -> PostgresUrl:
    """Take a URL apart. Raises InputError, which does not repeat it, if it cannot be read."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise SetupError(
            "a PostgreSQL store needs the extra `postgres`: pip install 'optimand[postgres]'"
        ) from error
    parameters: dict[str, Any] | None = None
    if _SHAPE.fullmatch(url):
        try:
            parameters = dict(conninfo_to_dict(url))
        except ProgrammingError:
            parameters = None
    if parameters is None:
        raise InputError(
            "the PostgreSQL store's URL cannot be read. Write postgresql://user@host:port/database "
            "with @ : / ? # % in user and password percent-encoded (@ is %40), or leave the "
            "password to ~/.pgpass or PGPASSWORD."
        )
    return PostgresUrl(_shown(parameters), parameters)


def _shown(parameters: Mapping[str, Any]) -> str:
    user = f"{quote(str(parameters['user']), safe='')}@" if "user" in parameters else ""
    host = str(parameters.get("host", ""))
    if host.startswith("/"):
        host = quote(host, safe="")
    port = f":{parameters['port']}" if "port" in parameters else ""
    return f"postgresql://{user}{host}{port}/{parameters.get('dbname', '')}"
