"""Time that passes only when somebody sleeps."""

import asyncio
import random

from optimand.llm import Retries


class FakeTime:
    def __init__(self):
        self.now = 0.0
        self.slept = []

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def retries(self, **settings):
        """Patience by this time, with fixed dice."""
        dice = random.Random(0)
        return Retries(sleep=self.sleep, clock=self.clock, rng=dice, **settings)
