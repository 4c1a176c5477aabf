"""Find what to add to a prompt, with no model but the one that is prompted (SPRIG).

SmolLM2-135M answers small questions, on this machine's CPU, as a pirate who loves long stories: it
often tells a story and not the answer. The pirate must stay. A search over general components of
prompts ("Give only the answer, ...") looks for what to add; then the start and the best finds are
compared on questions that the search never saw. It stops after 640 runs or 280 seconds of work.

    python examples/improve_prompt.py [store] [seconds]

Stop it at any time and run it again: it goes on where it was and repeats no call.
"""

from __future__ import annotations

import random
import sys
import time
from importlib.resources import files
from pathlib import Path

from optimand import Budget, Policy, TextTask, improve
from optimand.core.example import Example
from optimand.core.model import Client, Reply, Request
from optimand.core.run import Run
from optimand.core.verdict import Verdict
from optimand.evaluation.judges import Contains
from optimand.improve_result import ImproveResult
from optimand.llm import connect
from optimand.tasks.examples import load_examples

START = Policy(
    "small",
    "{question}",
    system="You are a pirate who loves long stories.",
    temperature=0,
    max_tokens=12,
    stop=("\n",),
    parser="first_line",
)
METHOD = {"type": "sprig", "steps": 3, "beam": 2, "sample": 8, "most": 10, "explore": 0.1}
ROLLOUTS, SECONDS = 640, 280.0
TRAIN, VAL = 40, 20
EVERY_SECONDS = 5.0


class Ticking:
    """The client, saying every few seconds how far it is; `observe` tells it what was found."""

    def __init__(self, client: Client) -> None:
        self.name, self.width = client.name, client.width
        self._client, self._calls, self._found = client, 0, "searching: scoring the start"
        self._began = self._said = time.monotonic()

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        reply = await self._client.complete(request)
        self._calls += 1
        now = time.monotonic()
        if now - self._said >= EVERY_SECONDS:
            self._said = now
            print(f"{now - self._began:4.0f} s  {self._calls:4d} calls  {self._found}", flush=True)
        return reply

    async def close(self) -> None:
        """Closes the client."""
        await self._client.close()

    def observe(self, verdict: Verdict, run: Run) -> None:
        """Take what is known so far."""
        if "val" in run.task.splits:
            self._found = f"searching: {verdict.detail}"
        else:
            self._found = f"proving on unseen questions: {verdict.used} runs"


def questions() -> dict[str, list[Example]]:
    """The demo's questions, shuffled and divided."""
    every = list(load_examples(Path(str(files("optimand") / "demo" / "questions.jsonl"))))
    random.Random(1).shuffle(every)
    return {"train": every[:TRAIN], "val": every[TRAIN : TRAIN + VAL], "test": every[TRAIN + VAL :]}


def search(client: Client, store: str, budget: Budget) -> ImproveResult:
    """The search and its certificate."""
    ticking = Ticking(client)
    task = TextTask(questions(), Contains(), {"small": ticking}, name="pirate")
    return improve(
        START,
        task,
        method=METHOD,
        change=["system"],
        budget=budget,
        store=store,
        seed=1,
        observe=ticking.observe,
    )


def told(result: ImproveResult) -> str:
    """The result in plain words."""
    lines = ["", str(result), "", f"start:  {START.system}"]
    lines.append(f"found:  {result.best.artifact.parts['system']}")
    verdict = result.certificate
    if verdict is None:
        return "\n".join(lines)
    lines.append("")
    for s in verdict.standings:
        name = result.known[s.candidate].name
        lines.append(f"{name:20} {s.estimate:.0%} right of {s.runs} unseen questions")
    if result.proven:
        lines.append(
            f"If nothing were gained in truth, this would be claimed in at most "
            f"{1 - result.asked_confidence:.0%} of such runs."
        )
    return "\n".join(lines)


def main() -> None:
    """Run it, or go on."""
    store = sys.argv[1] if len(sys.argv) > 1 else "optimand-improve.db"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    began = time.monotonic()
    result = search(connect("embedded"), store, Budget(rollouts=ROLLOUTS, seconds=seconds))
    print(told(result))
    print(f"\n{time.monotonic() - began:.0f} s; the log is in {store}.")
    if not result.proven and result.spent["seconds"] >= seconds:
        again = f"python examples/improve_prompt.py {store} {3 * seconds:.0f}"
        print(f"Its time was up. With more it goes on from here: {again}")


if __name__ == "__main__":
    main()
