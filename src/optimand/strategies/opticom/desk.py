"""What OptiCom keeps between steps: tallies, drafts, preferences, and how the last steps went."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

from optimand.core.artifact import Candidate
from optimand.core.proposal import Propose, Step
from optimand.memory.archive import Memory
from optimand.strategies.opticom.asking import ask_for_invention, ask_for_package
from optimand.strategies.opticom.package import PROVISIONAL, VERIFY, Package, to_propose
from optimand.strategies.opticom.preferences import Preferences, adapt, stuck
from optimand.strategies.opticom.rules import by_rules
from optimand.strategies.opticom.state import State, Tally, look_at

__all__ = ["Desk"]

MOST_DRAFTS = 8


@dataclass
class Desk:
    """The controller's side of a search. `experience` False forgets how operators did."""

    memory: Memory
    rng: random.Random
    experience: bool = True
    preferences: Preferences = field(default_factory=Preferences)
    tallies: dict[str, Tally] = field(default_factory=dict)
    drafts: list[Candidate] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    stalled: int = 0
    since: int = 0

    def state(self) -> State:
        """The summary for controller and adapter."""
        tallies = self.tallies if self.experience else {}
        return look_at(self.memory, self.stalled, len(self.drafts), tallies, self.seen)

    def adapt(self, *, invent: bool) -> Generator[Propose, Step, None]:
        """Rewrite the preferences where the search is stuck; with `invent`, ask for an operator."""
        self.since += 1
        state = self.state()
        if not stuck(state, self.since):
            return
        self.since = 0
        adapt(self.preferences, state)
        if invent:
            step = yield ask_for_invention(self.memory, state, self.preferences.operators)
            for trial in step.trials:
                if new := trial.meta.get("operator"):
                    self.preferences.operators[new.name] = new
                    self.preferences.weights[new.name] = 2.0

    def by_rules(self) -> Package:
        """The package of the rules, or the safe one where it may not be."""
        return self.usable(by_rules(self.state(), self.preferences, self.rng))

    def usable(self, package: Package) -> Package:
        """The package, or the safe one where it may not be."""
        return Package("revise") if self._complaints(package) else package

    def by_model(self) -> Generator[Propose, Step, Package]:
        """The package of a model, told once what was wrong; then the rules take over."""
        wrong: list[str] = []
        for _ in range(2):
            step = yield ask_for_package(
                self.memory, self.state(), self.preferences.operators, wrong
            )
            package: Package | None = next((t.meta.get("package") for t in step.trials), None)
            wrong = self._complaints(package) if package else ["the reply was no package"]
            if package and not wrong:
                return package
        return self.by_rules()

    def _complaints(self, package: Package) -> list[str]:
        return package.complaints(self.preferences.operators, self.memory, len(self.drafts))

    def carry_out(self, package: Package) -> Generator[Propose, Step, None]:
        """Take the step and learn from it."""
        before = self.memory.value(self.memory.best())
        step = yield to_propose(
            package, self.preferences.operators, self.memory, self.drafts, self.rng
        )
        kept = [self.memory.value(c) for c in step.accepted]
        gain = max(0.0, max(kept, default=before) - before)
        self.stalled = 0 if gain > 0 else self.stalled + 1
        if gain > 0:
            self.preferences.exploration = 0.2
        if package.operator == VERIFY:
            self.drafts.clear()
        else:
            tally = self.tallies.setdefault(package.operator, Tally())
            tally.tries, tally.gain = tally.tries + 1, tally.gain + gain
            tally.successes += gain > 0
        new = [t.candidate for t in step.trials if t.candidate and t.why == PROVISIONAL]
        self.drafts = (self.drafts + new)[-MOST_DRAFTS:]
        if errors := self.state().errors:
            self.seen[errors[0]] += 1
