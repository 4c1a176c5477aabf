"""A task whose executions are episodes: each takes steps of a simulated environment."""

import random
from dataclasses import replace

from optimand import FunctionTask
from optimand.core.record import Usage

RATES = {"A": 0.55, "B": 0.75, "C": 0.5}
MOST = 30


def coin(value, example, seed):
    return float(random.Random(f"{value} {seed}").random() < RATES.get(value, 0.5))


class Episodes:
    """`task` with episodes of 1 to `MOST` steps; `taken` counts those of this process.

    bound: `steps_per_run`, None for a task that does not have it. ends: after how many executions
    the user's code fails, as if the process had been killed.
    """

    def __init__(self, task=None, bound=MOST, ends=None):
        self._task = task or FunctionTask(coin, name="episodes")
        self.name, self.splits, self.judge = self._task.name, self._task.splits, None
        self.population, self.width = self._task.population, self._task.width
        if bound is not None:
            self.steps_per_run = bound
        self.ends, self.taken, self.made = ends, 0, 0

    def fingerprint(self):
        return self._task.fingerprint()

    def check(self, artifact):
        return []

    def execute(self, candidate, example, seed):
        self.made += 1
        if self.ends is not None and self.made > self.ends:
            raise KeyboardInterrupt
        record = self._task.execute(candidate, example, seed)
        steps = random.Random(f"{candidate.id} {example.id} {seed}").randint(1, MOST)
        self.taken += steps
        return replace(record, usage=Usage(steps=steps))

    async def close(self):
        pass
