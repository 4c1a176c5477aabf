"""Any endpoint that speaks the OpenAI chat format, through the OpenAI SDK."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from optimand.core.errors import InputError, SetupError
from optimand.core.given import need_text, need_whole
from optimand.core.model import Reply, Request
from optimand.core.record import NOTHING, Usage
from optimand.core.usercode import shown
from optimand.llm.failures import Failure, body_text, failure_of, tidy
from optimand.llm.limits import shared_limiter
from optimand.llm.prices import Price, Pricing
from optimand.llm.retry import Retries
from optimand.llm.secrets import hider
from optimand.llm.structured import complete_structured
from optimand.llm.wire import body_of, refused_feature, reply_of

__all__ = ["KeylessClient", "OpenAIClient"]

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY = "OPENAI_API_KEY"


class OpenAIClient:
    """A Client of `model` at `base_url` (default: OPENAI_BASE_URL, else OpenAI's own).

    `key_env` names the environment variable that holds the key; the key itself is not kept here.
    Without it OPENAI_API_KEY is sent to the default address and nothing to another one. `width`
    is the most calls at once, `per_minute` the most starts within 60 seconds, `price` the user's
    own price. A schema is given to the endpoint, and put in words once it refuses that.

    Raises InputError for an address that cannot be used, SetupError for a missing key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        width: int = 8,
        per_minute: int | None = None,
        price: Price | None = None,
        retries: Retries | None = None,
    ) -> None:
        need_text(model, "model of OpenAIClient")
        for what, given in (("base_url", base_url), ("key_env", key_env)):
            if given is not None:
                need_text(given, f"{what} of OpenAIClient")
        need_whole(width, "width of OpenAIClient")
        if per_minute is not None:
            need_whole(per_minute, "per_minute of OpenAIClient")
        _check_kinds(price, retries)
        self.width = width
        self._model = model
        self._url = _checked_url(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL)
        foreign = bool(base_url) and self._url != DEFAULT_URL
        self._key_env = _checked_variable(key_env) or (None if foreign else DEFAULT_KEY)
        self._per_minute = per_minute
        self._pricing = Pricing(model, self._url, price)
        self._retries = retries or Retries()
        self._refused: set[str] = set()
        self._sdk: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        self._lock = threading.Lock()
        where = "" if self._url == DEFAULT_URL else f"@{self._url.partition('://')[2]}"
        self.name = f"openai:{model}{where}"
        self._key()

    def __repr__(self) -> str:
        return f"OpenAIClient({self.name!r})"

    @property
    def prices(self) -> str:
        """Which prices its calls are charged at, to be kept with a run."""
        return self._pricing.source

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        return await complete_structured(self._ask, request, native=True)

    async def close(self) -> None:
        """Close the connections of the running loop; another loop's stay open."""
        with self._lock:
            held = self._sdk.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.close()

    async def _ask(self, request: Request) -> Reply:
        """One reply, with as many tries as it takes and `retries` allows."""
        policy = self._retries
        deadline: float | None = None
        spent = NOTHING
        tries = 0
        while True:
            result, started = await self._attempt(request, deadline)
            deadline = started + policy.total_timeout if deadline is None else deadline
            spent += result.usage
            if isinstance(result, Reply):
                return replace(result, usage=spent)
            if result.adapted:
                continue
            tries += 1
            wait = policy.wait(tries, result.wait)
            if result.final or tries >= policy.attempts or policy.clock() + wait >= deadline:
                return self._given_up(result, tries, spent)
            await policy.sleep(wait)

    async def _attempt(
        self, request: Request, deadline: float | None
    ) -> tuple[Reply | Failure, float]:
        """The result of one try, and when it started."""
        policy = self._retries
        limiter = shared_limiter(self._url, self.width, self._per_minute, policy)
        started = await limiter.acquire(policy.total_timeout)
        if started is None:
            paused = Failure("the service asks for a longer pause than total_timeout", final=True)
            return paused, policy.clock()
        left = policy.total_timeout if deadline is None else max(0.0, deadline - started)
        body = body_of(self._model, request, self._refused)
        try:
            result = await self._answer(body, min(policy.attempt_timeout, left))
            if isinstance(result, Reply):
                limiter.pace.succeeded()
                return replace(result, seconds=policy.clock() - started), started
            if result.overload:
                limiter.overloaded(started, result.wait or 0.0)
        finally:
            limiter.release()
        return self._judged(result, body), started

    async def _answer(self, body: dict[str, Any], timeout: float) -> Reply | Failure:
        try:
            post = self._client().chat.completions.with_raw_response.create
            raw = await asyncio.wait_for(post(**body, timeout=timeout), timeout)
        except Exception as error:
            return failure_of(error, timeout)
        return reply_of(body_text(raw.http_response), self._pricing.usage, hider(self._secret()))

    def _judged(self, failure: Failure, body: dict[str, Any]) -> Failure:
        """The failure, fit to be shown. Raises SetupError where the user has to act."""
        failure = replace(failure, problem=tidy(failure.problem, self._secret()))
        if failure.setup:
            raise SetupError(self._way_out(failure))
        feature = refused_feature(failure.problem, body) if failure.status == "invalid" else ""
        self._refused |= {feature} - {""}
        return replace(failure, adapted=bool(feature))

    def _given_up(self, failure: Failure, tries: int, spent: Usage) -> Reply:
        code = f"status {failure.code}: " if failure.code else ""
        times = f" (tried {tries} times)" if tries > 1 else ""
        error = f"{self.name}: {code}{failure.problem}{times}"
        return Reply("", usage=spent, status=failure.status, error=error, finish="error")

    def _client(self) -> Any:
        """The SDK's client for the running loop: its connections belong to one loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            # A client that was not closed refers to its loop, and so would stay for ever.
            for ended in [other for other in self._sdk if other.is_closed()]:
                del self._sdk[ended]
            if loop not in self._sdk:
                from openai import AsyncOpenAI

                from optimand.llm.bounded import BoundedClient

                self._sdk[loop] = AsyncOpenAI(
                    base_url=self._url,
                    api_key=self._key() or "none",
                    max_retries=0,
                    http_client=BoundedClient(),
                )
            return self._sdk[loop]

    def _secret(self) -> str:
        return os.environ.get(self._key_env, "").strip() if self._key_env else ""

    def _key(self) -> str:
        key = self._secret()
        if self._key_env and not key:
            # What is not written like a variable's name may be the key itself.
            told = self._key_env.isupper()
            place = f"as {self._key_env}" if told else "and the variable's name in key_env"
            raise SetupError(f"{self.name}: no key. Put it in the environment {place}.")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise SetupError(f"{self.name}: {self._key_env} holds characters that no key has.")
        return key

    def _way_out(self, failure: Failure) -> str:
        if 300 <= failure.code < 400:
            way = f"The address {self._url} is not the service's own: give that as base_url."
        elif failure.code == 404:
            way = f"Check the model's name and the address {self._url}."
        elif self._key_env:
            way = f"Check the key in {self._key_env}."
        else:
            way = "Name the environment variable that holds the key in key_env."
        # What is said of a refused key may quote a part of it.
        said = f": {failure.problem}" if failure.code != 401 else ""
        return f"{self.name}: refused with status {failure.code}{said}. {way}"


class KeylessClient(OpenAIClient):
    """One that is only looked at: it has the name of the real one, and needs no key."""

    def _key(self) -> str:
        return ""

    async def complete(self, request: Request) -> Reply:  # noqa: ARG002
        """Raises SetupError: it is never asked."""
        raise SetupError(f"{self.name}: this client was made without a key, to be looked at only")


def _check_kinds(price: Any, retries: Any) -> None:
    if price is not None and not isinstance(price, Price):
        raise InputError(
            f"price is {shown(price)}. Give optimand.llm.Price(input=..., output=...)."
        )
    if retries is not None and not isinstance(retries, Retries):
        raise InputError(f"retries are {shown(retries)}. Give optimand.llm.Retries(attempts=...).")


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a broken host or port; the message would repeat what may hold a key
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise InputError(
            "base_url must start with http:// or https:// and name a host, and if need be a port, "
            "such as http://localhost:11434/v1."
        )
    if parts.username or parts.password or "@" in url or parts.query or parts.fragment:
        raise InputError(
            f"base_url {parts.scheme}://{parts.hostname} must hold no user, password "
            "or query. Put the key in an environment variable and name that in key_env."
        )
    return url.rstrip("/")


def _checked_variable(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(r"[^\W\d]\w*", name, re.ASCII):
        raise InputError(
            "key_env must be the name of an environment variable, such as OPENAI_API_KEY. "
            "The key itself has no place here."
        )
    return name
