"""Ways to shut a program in, best first, and which of them works on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimand.core.errors import InputError, SetupError
from optimand.core.usercode import shown
from optimand.evaluation.sandbox.inside.isolation import SCRATCH

__all__ = ["TIERS", "Tier", "probe", "tier_for", "why_not"]

INSIDE = Path(__file__).parent / "inside"
_PLACE = "/opt/optimand/inside"
_START = (
    "import sys; sys.path.insert(0, {place!r}); from inside.server import main; import json; {}"
)
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
FIRST_UID = 60_000


@dataclass(frozen=True)
class Tier:
    """One way: `about` in words; `isolated`: with namespaces, so with scratch files of its own."""

    name: str
    about: str
    isolated: bool


TIERS: dict[str, Tier] = {
    t.name: t
    for t in (
        Tier(
            "bubblewrap",
            "namespaces made by bubblewrap; no network, read-only system, scratch files in memory",
            True,
        ),
        Tier("namespaces", "the same namespaces, made with `unshare`", True),
        Tier(
            "landlock",
            "files closed by Landlock, which needs no namespaces; nothing can be written",
            False,
        ),
        Tier(
            "unprotected",
            "limits and a filter of system calls alone: the program reads, and may change, the "
            "files of the user who runs it",
            False,
        ),
    )
}
"""By name, best first. The last one is never chosen unless it is asked for by name."""


def readable() -> list[str]:
    """What a candidate may read: the system's programs and libraries, and Python with its packages.

    Packages that are installed as a link to a source tree are not among them.
    """
    python = [sys.base_prefix, sys.prefix, os.path.dirname(os.path.realpath(sys.executable))]
    paths = [*_SYSTEM, *dict.fromkeys(os.path.realpath(p) for p in python), *(sys.prefix,)]
    kept: list[str] = []
    for path in dict.fromkeys(paths):
        inside = any(path == k or path.startswith(k.rstrip("/") + "/") for k in kept)
        if os.path.lexists(path) and not inside and path != "/":
            kept.append(path)
    return kept


def command(tier: Tier, preload: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command that starts a server in this tier, and its whole environment."""
    import json

    paths = readable()
    place = str(INSIDE) if tier.name in ("landlock", "unprotected") else _PLACE
    if tier.name == "namespaces":
        place = str(INSIDE)
        paths = [*paths, place]
    settings: dict[str, Any] = {
        "namespaces": tier.isolated,
        "root": tier.name == "namespaces",
        "readable": [*paths, *_DEVICES, place],
        "preload": list(preload),
    }
    start = _START.format("main(json.loads(sys.argv[1]))", place=os.path.dirname(place))
    python = [sys.executable, "-s", "-P", "-B", "-c", start, json.dumps(settings)]
    return [*_wrapped(tier, paths), *python], _environment()


def _wrapped(tier: Tier, paths: Sequence[str]) -> list[str]:
    if tier.name == "bubblewrap":
        return _bubblewrap(paths)
    if tier.name == "namespaces":
        flags = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return ["unshare", *flags, *user]
    return []


def _bubblewrap(paths: Sequence[str]) -> list[str]:
    flags = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    # Not --die-with-parent: that is the thread that started it. The server ends with its input.
    flags += ["--unshare-cgroup-try", "--new-session", "--cap-drop", "ALL"]
    rights = ["CAP_SYS_ADMIN", "CAP_SETPCAP"]
    if os.geteuid() == 0:
        rights += ["CAP_SETUID", "CAP_SETGID", "CAP_KILL"]
    else:
        flags += ["--unshare-user", "--uid", "0", "--gid", "0"]
    for right in rights:
        flags += ["--cap-add", right]
    # Folders above a bound one would be closed to a user without rights.
    above = {str(parent) for path in (*paths, _PLACE) for parent in Path(path).parents}
    for folder in sorted(above - {"/"} - set(paths)):
        flags += ["--perms", "0755", "--dir", folder]
    for path in paths:
        if os.path.islink(path):
            flags += ["--symlink", os.readlink(path), path]
        else:
            flags += ["--ro-bind", path, path]
    flags += ["--ro-bind", str(INSIDE), _PLACE, "--dev", "/dev", "--dir", SCRATCH]
    return ["bwrap", *flags, "--remount-ro", "/", "--chdir", "/", "--"]


def _environment() -> dict[str, str]:
    """Nothing of the caller's: no keys, no paths. A fixed seed of hashes, and one thread."""
    threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": SCRATCH,
        "TMPDIR": SCRATCH,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        **{f"{name}_NUM_THREADS": "1" for name in threads},
    }


def uid_for(tier: Tier, number: int) -> int | None:
    """A user without rights for the candidate of this number; None where there is but one user."""
    return FIRST_UID + number % 5000 if tier.isolated and os.geteuid() == 0 else None


_found: dict[str, str] = {}


def why_not(tier: Tier) -> str:
    """Why a tier does not work here, "" if it does. It is tried once in a process."""
    if tier.name not in _found:
        _found[tier.name] = _missing(tier) or _tried(tier)
    return _found[tier.name]


def _missing(tier: Tier) -> str:
    if sys.platform != "linux":
        return "it needs Linux"
    if os.uname().machine not in ("x86_64", "aarch64"):
        return f"the numbers of system calls on {os.uname().machine} are not known"
    needed = {"bubblewrap": "bwrap", "namespaces": "unshare"}.get(tier.name)
    if needed and not shutil.which(needed):
        return f"the program `{needed}` is not installed"
    if tier.name == "landlock":
        from optimand.evaluation.sandbox.inside.landlock import landlock_version

        return "" if landlock_version() else "the kernel has no Landlock"
    return ""


def _tried(tier: Tier) -> str:
    from optimand.evaluation.sandbox.sandbox import Sandbox

    with Sandbox(tier=tier.name, preload=(), checked=False) as sandbox:
        outcome = sandbox.run("import json, decimal\ndef answer(): return 42\n", "answer")
    return "" if outcome.value == 42 else outcome.error.strip() or outcome.status


def probe() -> Mapping[str, str]:
    """Every tier by name, best first, with why it does not work here ("" if it does)."""
    return {name: why_not(tier) for name, tier in TIERS.items()}


def tier_for(name: str | None) -> Tier:
    """The tier of this name, or the best that works here, which is never "unprotected".

    Raises InputError for an unknown name, SetupError where the tier does not work.
    """
    if name is not None:
        if name not in TIERS:
            raise InputError(f"no sandbox {shown(name)}. There is {', '.join(TIERS)}.")
        if why := why_not(TIERS[name]):
            raise SetupError(f"the sandbox {name!r} does not work here: {why}")
        return TIERS[name]
    for tier in list(TIERS.values())[:-1]:
        if not why_not(tier):
            return tier
    reasons = "; ".join(f"{n}: {w}" for n, w in probe().items() if w)
    raise SetupError(
        f"programs that a model wrote need a sandbox, and none works here ({reasons}). Install "
        "bubblewrap (`apt install bubblewrap`), or name the sandbox 'unprotected' if what the "
        "programs may do to this user's files does not matter."
    )
