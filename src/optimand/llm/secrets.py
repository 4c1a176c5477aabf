"""Keeping a key out of all that a service says: it may repeat the key, or a part of it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import lru_cache

__all__ = ["MODEL", "Hide", "hider", "shown_spec"]

Hide = Callable[[str], str]
"""The text without the secret."""

MODEL = re.compile(r"(@[a-z]+/)?((?!://)[^@])*(@(\d[\w-]*|latest|default))?")
"""A model's name: an @ stands in front of a vendor, as in @cf/meta/llama, or before a version."""

_ADDRESS = re.compile(r"@https?://[^@?#:/]*(:\d*)?(/[^@?#]*)?\Z")
_SHOWN = "[key]"
_LONG = 200
_REAL = 8
_PART = 12
_END = 4
_MASK = r"(?:[*.…•·_#]|[xX]){2,40}"


def shown_spec(spec: str) -> str:
    """A client's spec, or its beginning if the rest may hold an address with a key in it."""
    plain = MODEL.fullmatch(_ADDRESS.sub("", spec))
    text = spec if plain else f"{re.split('[:@/]', spec)[0]}:..."
    return text if len(text) <= _LONG else f"{text[:_LONG]}..."


def hider(secret: str, *, error: bool = False) -> Hide:
    """What takes `secret` out of a text, whole (escaped for JSON, a URL or HTML too) or in part.

    A part is a run of 12 of its characters, or its start before a mask ("sk-1****cdef"). In an
    `error` it is also its end after a mask, and either end of it, from 4 characters on, standing by
    itself. Where the text is a model's reply, which is compared, a secret of fewer than 8
    characters is none: it stands for "no key", and would be found in words. In an error that holds
    for fewer than 4.
    """
    if len(secret) < (_END if error else _REAL):
        return str
    patterns = _patterns(secret, error)

    def hide(text: str) -> str:
        whole, *others = patterns
        text = whole.sub(_SHOWN, text)
        text = _without_parts(text, secret) if len(secret) > _PART else text
        for pattern in others:
            text = pattern.sub(_SHOWN, text)
        return text

    return hide


@lru_cache(maxsize=8)
def _patterns(secret: str, error: bool) -> tuple[re.Pattern[str], ...]:
    found = [re.compile("".join(map(_any_form, secret)), re.IGNORECASE)]
    ends = range(len(secret) - 1, _END - 2, -1)
    starts = "|".join(re.escape(secret[:n]) for n in ends)
    lasts = "|".join(re.escape(secret[-n:]) for n in ends)
    if len(secret) >= _REAL:
        found.append(re.compile(rf"(?:{starts}){_MASK}(?:{lasts})"))
        found.append(re.compile(rf"{re.escape(secret[:_END])}[^\s*…•]{{0,20}}[*…•]{{2,40}}"))
    if error and len(secret) >= _REAL:
        found.append(re.compile(rf"{_MASK}(?:{lasts})(?!\w)"))
        ends = range(len(secret) - 1, _END - 1, -1)
        alone = "|".join(re.escape(part) for n in ends for part in (secret[:n], secret[-n:]))
        found.append(re.compile(rf"(?<!\w)(?:{alone})(?!\w)"))
    return tuple(found)


def _any_form(char: str) -> str:
    """A pattern of a character as it is, and escaped as services do it, some of them twice."""
    if char.isalnum():
        return char
    code = f"{ord(char):02x}"
    entity = html.escape(char)
    forms = [
        rf"\\{{0,8}}{re.escape(char)}",
        rf"\\{{1,8}}u00{code}",
        f"%{code}",
        f"&#0?{ord(char)};",
    ]
    if entity != char:
        forms.append(re.escape(entity))
    return f"(?:{'|'.join(forms)})"


def _without_parts(text: str, secret: str) -> str:
    """The text without runs of 12 and more characters of the secret.

    Every such run holds one of the secret's blocks of 6 whole, and those are found fast.
    """
    block = _PART // 2
    for start in range(0, len(secret) - block + 1, block):
        piece = secret[start : start + block]
        if piece in text:
            text = _without_runs(text, secret, start, piece)
    return text


def _without_runs(text: str, secret: str, start: int, piece: str) -> str:
    kept, done = [], 0
    at = text.find(piece)
    while at >= 0:
        low, high = at, at + len(piece)
        while (
            low > done and start - (at - low) > 0 and text[low - 1] == secret[start - at + low - 1]
        ):
            low -= 1
        while high < len(text) and start + high - at < len(secret):
            if text[high] != secret[start + high - at]:
                break
            high += 1
        if high - low >= _PART:
            kept += [text[done:low], _SHOWN]
            done = high
        at = text.find(piece, max(high if high - low >= _PART else at + 1, done))
    return "".join([*kept, text[done:]])
