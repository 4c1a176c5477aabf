"""What an install brings along, by the metadata of what is installed here."""

import re
from importlib.metadata import distribution

from packaging.requirements import Requirement

__all__ = ["closure", "normal"]


def normal(name):
    """The name as PEP 503 writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(requirements):
    """Distributions by name that the requirement texts need, themselves included."""
    found = {}
    waiting = [Requirement(text) for text in requirements]
    seen = set()
    while waiting:
        requirement = waiting.pop()
        name = normal(requirement.name)
        extras = frozenset(requirement.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = distribution(name)
        for text in found[name].requires or ():
            needed = Requirement(text)
            if needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in extras | {""}
            ):
                waiting.append(needed)
    return found
