"""Policies that answer examples with text, and a judge of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

from optimand.artifacts.policy import Policy
from optimand.artifacts.policy_checks import (
    Complaint,
    check_policies,
    field_shapes,
    policy_complaints,
)
from optimand.core.artifact import Artifact, Candidate
from optimand.core.checks import replied
from optimand.core.errors import InputError
from optimand.core.example import Example
from optimand.core.given import need_clients, need_judge
from optimand.core.keys import content_hash, seed_from
from optimand.core.model import Client, Reply
from optimand.core.record import Record
from optimand.core.task import Judge
from optimand.core.usercode import shown
from optimand.evaluation.judges.common import example_complaints
from optimand.evaluation.parsers import parser_from
from optimand.tasks.examples import Source, check_task, load_splits
from optimand.tasks.faults import Faults

__all__ = ["TextTask"]


class TextTask:
    """Runs policies (see `optimand.artifacts.policy`) on examples and has the outputs judged.

    `examples` is a path, a list, or a mapping of splits (train, val, test, all) to these.
    `clients` maps the model names that policies use to clients. A record holds the parsed output,
    how the reply ended, and the reply itself where parsing changed it; the messages sent are kept
    with `keep_messages` only. Raises InputError for examples that the judge cannot use.
    """

    def __init__(
        self,
        examples: Source | Mapping[str, Source],
        judge: Judge,
        clients: Mapping[str, Client],
        *,
        name: str = "text",
        population: Literal["whole", "sample"] = "sample",
        keep_messages: bool = False,
    ) -> None:
        check_task(name, population, examples)
        need_judge(judge, f"task {name!r}: the judge")
        need_clients(clients)
        self.name = name
        splits = load_splits(examples)
        self.splits: Mapping[str, Sequence[Example]] = splits
        self.population: Literal["whole", "sample"] = population
        self.judge: Judge | None = judge
        self.clients = dict(clients)
        distinct = {client.name: client for client in self.clients.values()}
        # Each client keeps to its own limit, so the sum keeps all of them busy.
        self.width = max(1, sum(client.width for client in distinct.values()))
        if isinstance(asked_at_once := getattr(judge, "width", None), int):
            self.width = min(self.width, asked_at_once)  # a person's answers are dearer than time
        self._keep_messages = keep_messages
        self._shapes = field_shapes(example for part in self.splits.values() for example in part)
        faults = Faults()
        for split in splits.values():
            for example, complaint in example_complaints(judge, split):
                faults.add(f"{split.places[example.id]}: {complaint}")
        faults.settle()

    def fingerprint(self) -> str:
        """Changes when the clients behind the model names do."""
        named = {name: client.name for name, client in self.clients.items()}
        return content_hash("text", named, self._keep_messages)

    def check(self, artifact: Artifact) -> list[str]:
        """Errors of one policy: parts, settings, missing fields, unknown model, bad parser."""
        try:
            policy = Policy.from_artifact(artifact)
        except InputError as error:
            return [str(error)]
        found = policy_complaints(policy, self._shapes)
        if policy.model not in self.clients:
            found.append(_unknown_model(policy.model, self.clients))
        try:
            parser_from(policy.parser)
        except InputError as error:
            found.append(str(error))
        return found

    def review(self, candidates: Sequence[Candidate]) -> list[Complaint]:
        """Errors and warnings about a pool of policies, without spending anything."""
        found = check_policies(candidates, self._shapes)
        known = {complaint.message for complaint in found}
        for candidate in candidates:
            for text in self.check(candidate.artifact):
                message = f"policy {candidate.name!r}: {text}"
                if message not in known:
                    found.append(Complaint("error", message))
        return found

    async def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        """The policy's parsed answer to one example. Raises InputError for an unknown model."""
        policy = Policy.from_artifact(candidate.artifact)
        if policy.model not in self.clients:
            raise InputError(_unknown_model(policy.model, self.clients))
        request = policy.request(example.input, seed_from("reply", seed))
        reply = await replied(self.clients[policy.model], request)
        record = self._record(candidate, example, policy, reply)
        if self._keep_messages:
            sent = [[message.role, message.content] for message in request.messages]
            record.trace["messages"] = sent
        return record

    def _record(
        self, candidate: Candidate, example: Example, policy: Policy, reply: Reply
    ) -> Record:
        trace = {"finish": reply.finish}
        if reply.status != "ok":
            return Record(
                candidate.id,
                example.id,
                output=reply.text,
                feedback=reply.error,
                trace=trace,
                usage=reply.usage,
                seconds=reply.seconds,
                status=reply.status,
            )
        parsed = parser_from(policy.parser)(reply.text)
        cut = " It was cut at max_tokens." if reply.finish == "length" else ""
        if parsed.error or parsed.value != reply.text.strip():
            trace["text"] = reply.text
        return Record(
            candidate.id,
            example.id,
            output=reply.text if parsed.error else parsed.value,
            feedback=parsed.error + cut if parsed.error else "",
            trace=trace,
            usage=reply.usage,
            seconds=reply.seconds,
            status="invalid" if parsed.error else "ok",
        )

    async def close(self) -> None:
        """Closes every client, and the judge's own."""
        clients = [*self.clients.values(), getattr(self.judge, "client", None)]
        for client in {id(c): c for c in clients if c is not None}.values():
            await client.close()


def _unknown_model(model: str, clients: Mapping[str, Client]) -> str:
    close = get_close_matches(model, list(clients), 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    have = ", ".join(clients) or "none"
    return f"the model {shown(model)} is unknown. Known: {have}.{hint}"
