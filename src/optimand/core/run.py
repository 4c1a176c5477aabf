"""A run: the only doors to the world. Each is metered, cached by content key, and logged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from optimand.core.artifact import Candidate
from optimand.core.calling import called
from optimand.core.checks import check_about, check_judgement, check_storable, replied
from optimand.core.codec import pack, unpack
from optimand.core.errors import InputError, ServiceUnavailable
from optimand.core.example import Example
from optimand.core.futility import Futility, complaint
from optimand.core.keys import content_hash, judge_key, score_key, seed_from
from optimand.core.ledger import Ledger
from optimand.core.log import Log
from optimand.core.model import Client, Reply, Request
from optimand.core.record import NOTHING, Comparison, Judgement, Record
from optimand.core.store import Event
from optimand.core.task import PairJudge, ScoreJudge, Task, most_steps
from optimand.core.verdict import Verdict

__all__ = ["Run"]

T = TypeVar("T", Record, Comparison, Judgement, Reply)

ATTEMPTS = 3
"""How often a call whose service failed (after the client's own retries) is tried again; and how
many failures in a row, with no success in between, mean that the service is down."""

BREATH_SECONDS = 0.01
QUICK_SECONDS = 0.005
"""Within a step of a search, results that cost no call and less time than this share a commit."""


class Run:
    """What a strategy sees of the world.

    `seed` fixes every draw. `candidates` are those given at the start, in order; `clients` serve
    `ask` by role. Candidates on the same example and repeat share their seed, so that differences
    between them are not blurred by different draws (common random numbers). A strategy may set
    `snapshot`, what it would conclude now, and `keep`, what a later study may go on from, as JSON.
    """

    def __init__(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        log: Log,
        ledger: Ledger,
        *,
        seed: int = 0,
        clients: Mapping[str, Client] | None = None,
        pool: Executor | None = None,
    ) -> None:
        self.task = task
        self.candidates = tuple(candidates)
        self.log = log
        self.ledger = ledger
        self.seed = seed
        self.clients = dict(clients or {})
        self.snapshot: Callable[[], Verdict] | None = None
        self.keep: Callable[[], Mapping[str, Any]] | None = None
        self._pool = pool
        self._pause = asyncio.sleep
        self._breath = 0.0
        self._failures = 0
        self._futility = Futility()
        self._sharing: dict[str, asyncio.Future[Any]] = {}
        self._steps = most_steps(task)
        self._scope = content_hash(task.name, task.fingerprint(), seed)
        judge = task.judge
        self._judge = judge_key(judge.fingerprint() if judge else None)
        # Looked at once: checks against a protocol are slow.
        self._scorer: ScoreJudge | None = None
        self._arbiter: PairJudge | None = None
        if isinstance(judge, ScoreJudge) and judge.kind == "score":
            self._scorer = judge
        elif isinstance(judge, PairJudge) and judge.kind == "pair":
            self._arbiter = judge
        self._slots: AbstractAsyncContextManager[object] = (
            asyncio.Semaphore(task.width) if task.width > 1 else nullcontext()
        )

    def child(self, ledger: Ledger) -> Run:
        """The same world under a ledger of its own (see Ledger.child)."""
        run = Run(
            self.task,
            self.candidates,
            self.log,
            ledger,
            seed=self.seed,
            clients=self.clients,
            pool=self._pool,
        )
        run._sharing, run._slots = self._sharing, self._slots
        return run

    async def rollout(self, candidate: Candidate, example: Example, repeat: int = 0) -> Record:
        """Execute `candidate` on `example`, and score it where the task's judge gives scores."""
        key = content_hash("execution", self._scope, candidate.id, example.key, repeat)
        seed = seed_from(self.seed, example.id, repeat)

        async def execute() -> Record:
            began = time.perf_counter()
            record: Record = await called(self._pool, self.task.execute, candidate, example, seed)
            check_storable(record, candidate.name, example, self._steps)
            return replace(
                record,
                candidate=candidate.id,
                example=example.id,
                repeat=repeat,
                seconds=record.seconds or round(time.perf_counter() - began, 6),
            )

        record = await self._door(
            "rollout", Record, key, execute, steps=self._steps, candidate=candidate.id
        )
        if self._scorer is not None and record.status != "unknown":
            return await self._score(self._scorer, example, record, key, seed)
        return record

    async def _score(
        self, judge: ScoreJudge, example: Example, record: Record, execution: str, seed: int
    ) -> Record:
        async def score() -> Judgement:
            judgement: Judgement = await called(self._pool, judge.score, example, record, seed)
            check_judgement(judgement, judge.name, example)
            return judgement

        key = score_key(execution, self._judge)
        judged = await self._door(
            "score", Judgement, key, score, candidate=record.candidate, example=example.id
        )
        if judged.value is None:  # no judgement is never a loss
            return replace(record, status="unknown", score=None, feedback=judged.feedback)
        feedback = judged.feedback or record.feedback
        return replace(
            record, score=judged.value, feedback=feedback, usage=record.usage + judged.usage
        )

    async def compare(
        self, a: Candidate, b: Candidate, example: Example, repeat: int = 0
    ) -> Comparison:
        """Let the task's judge compare two candidates on `example`: outcome 1 = a better."""
        return (await self.compared(a, b, example, repeat))[0]

    async def compared(
        self, a: Candidate, b: Candidate, example: Example, repeat: int = 0
    ) -> tuple[Comparison, tuple[Record, Record]]:
        """What `compare` gives, and the executions of a and b that were judged."""
        if a.id > b.id:
            comparison, (other, one) = await self.compared(b, a, example, repeat)
            return comparison.swapped(), (one, other)
        judge = self._arbiter
        if judge is None:
            raise InputError(
                f"task {self.task.name!r} has no pairwise judge: give it one, or let a strategy "
                "that uses scores pick"
            )
        first, second = await self._outputs(judge, a, b, example, repeat)
        about = (a.id, b.id, example.id, repeat)
        if "unknown" in (first.status, second.status):
            missing = Comparison(*about, status="unknown")
            return missing, (first, second)
        key = content_hash("comparison", self._scope, self._judge, a.id, b.id, example.key, repeat)
        seed = seed_from(self.seed, "judge", a.id, b.id, example.id, repeat)

        async def judged() -> Comparison:
            began = time.perf_counter()
            judgement: Judgement = await called(
                self._pool, judge.compare, example, first, second, seed
            )
            check_judgement(judgement, judge.name, example)
            return Comparison(
                *about,
                judgement.value,
                judgement.feedback,
                judgement.details,
                judgement.usage,
                round(first.seconds + second.seconds + time.perf_counter() - began, 6),
                judgement.status,
            )

        found = await self._door("comparison", Comparison, key, judged, a=a.id, b=b.id)
        return found, (first, second)

    async def _outputs(
        self, judge: PairJudge, a: Candidate, b: Candidate, example: Example, repeat: int
    ) -> tuple[Record, Record]:
        if not judge.needs_outputs:
            return Record(a.id, example.id, repeat), Record(b.id, example.id, repeat)
        return await asyncio.gather(
            self.rollout(a, example, repeat), self.rollout(b, example, repeat)
        )

    async def breathe(self) -> None:
        """Let the event loop hear a Ctrl-C and run others, now and then: user code may never."""
        if time.monotonic() >= self._breath:
            await asyncio.sleep(0)
            self._breath = time.monotonic() + BREATH_SECONDS

    async def ask(self, role: str, request: Request, repeat: int = 0) -> Reply:
        """Ask the client of this role; the same request and repeat is asked only once."""
        if role not in self.clients:
            raise InputError(f"no client for the role {role!r}: there is {sorted(self.clients)}")
        client = self.clients[role]
        key = content_hash("ask", client.name, request, repeat)
        # A reply of a given form may need a second call, which mends it.
        calls = 1 if request.schema is None and request.choices is None else 2
        return await self._door("ask", Reply, key, lambda: replied(client, request), calls)

    async def _door(
        self,
        door: str,
        kind: type[T],
        key: str,
        make: Callable[[], Awaitable[T]],
        calls: int = 1,
        steps: int = 0,
        **labels: str,
    ) -> T:
        """Answer from the log, from an equal call in flight, or by a metered call."""
        known = self._known(door, kind, key, labels)
        if known is not None:
            return known
        shared = self._sharing.get(key)
        if shared is not None:
            shared_value: T = await asyncio.shield(shared)
            return shared_value
        future = asyncio.get_running_loop().create_future()
        self._sharing[key] = future
        try:
            async with nullcontext() if door == "ask" else self._slots:
                began = time.perf_counter()
                value = await self._metered(door, make, calls, steps)
                body = {**labels, **pack(value)}
                may_wait = time.perf_counter() - began < QUICK_SECONDS and _free(value, body)
                event = Event(door, body, key, self.ledger.seconds)
                # Within the slot: no more than `width` results are ever paid and not yet safe.
                await self.log.write([event], may_wait=may_wait)
            self._futility.count(value)
        except BaseException as error:
            if not future.cancelled():
                future.set_exception(error)
                future.exception()  # mark as seen: there may be nobody else waiting
            raise
        finally:
            del self._sharing[key]
        future.set_result(value)
        return value

    def _known(self, door: str, kind: type[T], key: str, labels: Mapping[str, str]) -> T | None:
        """The log's answer, charged where an earlier session paid for it."""
        found = self.log.find(key)
        if found is None:
            return None
        event, replayed = found
        value = unpack(kind, event.body)
        check_about(event, labels, self.log.journal.name)
        if replayed:
            self.ledger.charge(door, value.usage)
        return value

    async def _metered(
        self, door: str, make: Callable[[], Awaitable[T]], calls: int, steps: int
    ) -> T:
        await self.ledger.room(steps)
        with self.ledger.admit(door, calls, steps) as hold:
            for attempt in range(1, ATTEMPTS + 1):
                value = await make()
                hold.settle(value.usage)
                if attempt > 1:  # what failed was paid for too, and a resumed run must know it
                    value = replace(value, usage=hold.usage)
                if value.status != "unknown":
                    self._failures = 0
                    return value
                self._failures += 1
                if attempt < ATTEMPTS:
                    if self._failures >= ATTEMPTS:
                        raise ServiceUnavailable(complaint(value))
                    if not self.ledger.again(hold):
                        return value
                    await self._pause(0.5 * 2**attempt)
            if self._failures > ATTEMPTS:
                raise ServiceUnavailable(complaint(value))
            return value


def _free(value: Record | Comparison | Judgement | Reply, body: Mapping[str, Any]) -> bool:
    """Whether this result cost no call, and holds nothing that the user's code may yet change."""
    plain = all(isinstance(item, str | int | float) for item in body.values())
    return plain and value.usage == NOTHING
