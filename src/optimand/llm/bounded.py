"""An HTTP client that takes no more of an answer than an answer can be, whoever sends it."""

from __future__ import annotations

import zlib
from typing import Any

from openai import DefaultAsyncHttpxClient

__all__ = ["MOST_BYTES", "BoundedClient", "Unusable"]

MOST_BYTES = 32 * 2**20
"""Of an answer's body, unpacked. The longest replies of models are some hundred kilobytes."""
_LENGTHS = ("content-encoding", "content-length", "transfer-encoding")


class Unusable(Exception):
    """An answer whose body no service would send."""


class BoundedClient(DefaultAsyncHttpxClient):
    """Reads whole answers of at most MOST_BYTES, and goes nowhere else: redirects are answers.

    Raises Unusable for a longer body, and for one packed in another way than by gzip.
    """

    def __init__(self) -> None:
        super().__init__(follow_redirects=False, headers={"Accept-Encoding": "gzip"})

    async def send(self, request: Any, *args: Any, **options: Any) -> Any:
        response = await super().send(request, *args, **{**options, "stream": True})
        data = bytearray()
        try:
            async for part in response.aiter_raw():
                data += part
                if len(data) > MOST_BYTES:
                    raise Unusable(f"the answer is longer than {MOST_BYTES:,} bytes")
        finally:
            await response.aclose()
        headers = [pair for pair in response.headers.multi_items() if pair[0] not in _LENGTHS]
        return type(response)(
            response.status_code,
            headers=headers,
            content=_unpacked(bytes(data), response.headers.get("content-encoding", "")),
            request=response.request,
        )


def _unpacked(data: bytes, how: str) -> bytes:
    how = how.strip().lower()
    if how in ("", "identity") or not data:
        return data
    if how not in ("gzip", "x-gzip"):
        raise Unusable("the answer is compressed in a way that was not asked for")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(data, MOST_BYTES + 1)
    except zlib.error:
        raise Unusable("the answer is compressed, and broken") from None
    if len(found) > MOST_BYTES:
        raise Unusable(f"the answer is longer than {MOST_BYTES:,} bytes")
    return found
