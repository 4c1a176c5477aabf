"""The prompt optimization loop of textgrad on the shared task; runs where textgrad is installed.

`python -m benchmarks.improve.textgrad_peer NOISY FROM TO CALLS VAL` prints a JSON list. The loop is
that of its authors' script: batches of 3 in shuffled epochs, one step, then the whole validation
set, and back to the text before where its mean is lower; here until the executions are used up.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.improve.common import Outcome, Watch, feedback, quality, score
from benchmarks.improve.replies import textgrad_reply

__all__ = ["run"]

BATCH = 3


def _engine(answer: Callable[[str, str], str]) -> Any:
    """An engine of the package that answers by a function of the prompt and the system prompt."""
    from textgrad.engine import EngineLM

    class Engine(EngineLM):  # type: ignore[misc, unused-ignore]
        model_string = "rule"

        def generate(self, prompt: str, system_prompt: str = "", **_: Any) -> str:
            return answer(prompt, system_prompt)

        __call__ = generate

    return Engine()


def _batches(size: int, rng: random.Random) -> Iterator[list[int]]:
    while True:
        order = rng.sample(range(size), size)
        yield from (order[at : at + BATCH] for at in range(0, size, BATCH))


def run(noisy: bool, seed: int, calls: int, size: int) -> Outcome:
    """One search with `size` validation examples and as many to learn from."""
    import textgrad as tg
    from textgrad.autograd import StringBasedFunction

    tg.logger.disabled = True
    watch, steps, begun = Watch(size), 0, time.process_time()
    scores, edits = random.Random(f"scores {seed}"), random.Random(f"edit {seed}")

    def execute(prompt: str, system: str) -> str:
        place = int(prompt)
        watch.ran(system, place, noisy, validation=place >= 1000)
        return str(score(system, place, noisy, scores))

    def judge(output: Any, place: Any) -> str:
        said = feedback(text.value, int(place.value), noisy)
        return f"score {output.value} {said}".strip()

    def rated(place: int) -> tuple[Any, float]:
        example = tg.Variable(str(place), requires_grad=False, role_description="the example")
        output = model(example)
        return evaluate(inputs={"output": output, "place": example}), float(output.value)

    tg.set_backward_engine(_engine(lambda prompt, _: textgrad_reply(prompt, edits)), override=True)
    text = tg.Variable("start", requires_grad=True, role_description="the system prompt")
    model = tg.BlackboxLLM(_engine(execute), system_prompt=text)
    evaluate = StringBasedFunction(judge, function_purpose="Scores the output for the example.")
    optimizer = tg.TextualGradientDescent(parameters=[text])
    kept, best = text.value, sum(rated(1000 + i)[1] for i in range(size)) / size
    batches = _batches(size, random.Random(f"batches {seed}"))
    while watch.calls + BATCH + size <= calls:
        optimizer.zero_grad()
        tg.sum([rated(place)[0] for place in next(batches)]).backward()
        optimizer.step()
        steps += 1
        mean = sum(rated(1000 + i)[1] for i in range(size)) / size
        if mean >= best:
            kept, best = text.value, mean
        text.set_value(kept)
    seconds = time.process_time() - begun
    return Outcome(watch.reached, quality(kept, noisy), best, watch.calls, steps, seconds)


def main(noisy: int, start: int, stop: int, calls: int, size: int) -> None:
    """Print one outcome for each seed."""
    with TemporaryDirectory() as folder:
        os.environ["TEXTGRAD_LOG_DIR"] = folder  # else the package writes a log where it is run
        run(bool(noisy), 0, 100, size)  # imports and caches do not count
        print(json.dumps([asdict(run(bool(noisy), s, calls, size)) for s in range(start, stop)]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
