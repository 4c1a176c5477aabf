"""What is refused in the tree of a YAML text before values are made of it."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from optimand.core.errors import InputError

__all__ = ["check_nodes"]

_MOST = 1_000_000
_PAGE = 100


def check_nodes(node: yaml.Node, name: str) -> None:
    """Raises InputError for repeated keys, circles, and aliases that stand for too much.

    Each alias (`*name`) counts as all that it stands for, and every 100 characters as one value
    more; what is written out in the file is not limited. Surrogate pairs that are written as two
    escapes are joined; half a pair is refused.
    """
    _Checks(name).weigh(node)


class _Checks:
    """The nodes seen so far with their weights, and what aliases have added to the file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._weights: dict[int, int | None] = {}
        self._added = 0

    def weigh(self, node: yaml.Node) -> int:
        """How many values the node stands for."""
        if id(node) in self._weights:
            return self._alias(node)
        self._weights[id(node)] = None
        if isinstance(node, yaml.ScalarNode):
            node.value = self._joined(node)
            weight = 1 + len(node.value) // _PAGE
        else:
            self._refuse_repeats(node)
            weight = 1 + sum(self.weigh(part) for part in _parts(node))
        self._weights[id(node)] = weight
        return weight

    def _alias(self, node: yaml.Node) -> int:
        weight = self._weights[id(node)]
        if weight is None:
            raise self._error(node, "an alias (*) stands for what it is a part of.")
        self._added += weight
        if self._added > _MOST:
            raise self._error(
                node, "aliases (*) of what starts here stand for more than a million values."
            )
        return weight

    def _joined(self, node: yaml.ScalarNode) -> str:
        text: str = node.value
        try:
            text.encode()
        except UnicodeEncodeError:
            try:
                return text.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeDecodeError:
                problem = "a text holds half of a surrogate pair, which is not a character."
                raise self._error(node, problem) from None
        return text

    def _refuse_repeats(self, node: yaml.Node) -> None:
        keys: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in keys:
                    raise self._error(key, f"the key {key.value!r} is there twice.")
                keys.add(key.value)

    def _error(self, node: yaml.Node, text: str) -> InputError:
        return InputError(f"{self._name} line {node.start_mark.line + 1}: {text}")


def _parts(node: yaml.Node) -> Iterator[yaml.Node]:
    for part in node.value:
        yield from part if isinstance(part, tuple) else (part,)
