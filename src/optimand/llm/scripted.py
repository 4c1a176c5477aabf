"""A client that is a function: for tests, simulations and systems of the user's own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from optimand.core.checks import check_reply
from optimand.core.errors import InputError
from optimand.core.functions import describe_function
from optimand.core.given import need_function, need_text, need_whole
from optimand.core.model import Reply, Request
from optimand.core.record import Usage
from optimand.core.usercode import failing_as, said, shown
from optimand.llm.structured import complete_structured

__all__ = ["Scripted"]

Answer = str | Reply


class Scripted:
    """A Client that asks `function`, sync or async; a text stands for a free reply.

    With a schema or choices, a text is parsed, and the function asked once more if that fails; a
    Reply is passed on as it is. Raises InputError for any other answer, for a Reply whose fields
    are not of their type and for what `function` raises: that is a fault of the script and not of a
    service. `name` defaults to one that changes when the function does.
    """

    def __init__(
        self,
        function: Callable[[Request], Answer | Awaitable[Answer]],
        *,
        name: str = "",
        width: int = 8,
    ) -> None:
        need_function(function, "the function of Scripted", ("request",))
        need_text(name, "the name of Scripted")
        need_whole(width, "the width of Scripted")
        self.name = name or f"scripted:{describe_function(function)}"
        self.width = width
        self._function = function

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        return await complete_structured(self._ask, request, native=True)

    async def _ask(self, request: Request) -> Reply:
        what = f"the function of client {self.name!r}"
        with failing_as(lambda error: InputError(f"{what} failed with {said(error)}.")):
            answer = self._function(request)
            if inspect.isawaitable(answer):
                answer = await answer
        if isinstance(answer, str):
            return Reply(answer, usage=Usage(1))
        if not isinstance(answer, Reply):
            raise InputError(f"{what} answered {shown(answer)}. It must answer a text or a Reply.")
        return check_reply(answer, what)

    async def close(self) -> None:
        """Nothing to free."""
