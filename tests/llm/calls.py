"""Clients of a test endpoint, and questions put to them."""

import asyncio

from tests.llm.faketime import FakeTime

from optimand.core.model import Message, Request
from optimand.llm import OpenAIClient


def client_of(endpoint, time=None, attempts=5, attempt_timeout=10.0, total=600.0, **settings):
    retries = (time or FakeTime()).retries(
        attempts=attempts, attempt_timeout=attempt_timeout, total_timeout=total
    )
    return OpenAIClient("m", base_url=endpoint.url, retries=retries, **settings)


def ask(client, *questions, at_once=False, **settings):
    """The replies to these questions, in turn or at once; the client is closed after."""

    async def work():
        requests = [Request((Message("user", text),), **settings) for text in questions]
        try:
            if at_once:
                return await asyncio.gather(*map(client.complete, requests))
            return [await client.complete(request) for request in requests]
        finally:
            await client.close()

    return asyncio.run(work())


def ask_one(client, text="Is water wet?", **settings):
    """The reply to one question."""
    return ask(client, text, **settings)[0]
