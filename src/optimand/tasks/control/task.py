"""Policies as programs, scored by episodes in an environment of Gymnasium."""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, Literal

from optimand.core.artifact import Artifact, Candidate
from optimand.core.errors import InputError
from optimand.core.example import Endless, Example
from optimand.core.functions import describe_value
from optimand.core.given import need_text
from optimand.core.keys import content_hash
from optimand.core.record import Record, Usage
from optimand.core.task import Judge
from optimand.core.usercode import shown
from optimand.evaluation.sandbox import Fault, Limits, Sandbox
from optimand.evaluation.sandbox.plain import plain
from optimand.tasks.control.episode import Episode, run_episode
from optimand.tasks.control.film import filmstrip
from optimand.tasks.control.spaces import action_of, random_source, space_in_words
from optimand.tasks.control.study import POLICY, SUMMARY, acting_complaints
from optimand.tasks.control.trajectory import in_words
from optimand.tasks.control.worlds import own_words, world_maker

__all__ = ["ControlTask"]

LIMITS = Limits(seconds=5.0, total_seconds=120.0, cpu_seconds=60.0, memory_mb=1024)
SUMMARY_LONGEST = 400
FRAMES = 12
_QUIET = {"SDL_VIDEODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1", "MUJOCO_GL": "egl"}
"""Settings of the libraries that draw: no window, no greeting."""
_MOST_SEED = 2**31 - 1


class ControlTask:
    """Scores policies in `env`: an id of Gymnasium, a world of optimand's own, or a function.

    A policy is a program, the part `policy`: a class with `act(self, observation)`, made anew for
    each episode, or a function `act(observation)`. The part `summary`, which may be empty, is a
    program with `summarise(observations)`, which tells an episode in a few words. Both run in the
    sandbox; the environment, its seed and its reward stay outside.

    scale: (low, high), the returns that score 0 and 1; what lies between is linear. Without it,
    `success: True` scores the highest "success" of the environment's info in an episode.
    options: arguments of the environment. about: what to tell a programmer of observations, actions
    and dynamics; by default the environment's own documentation. reward: how it is made, in words
    or as source. max_steps: of an episode; by default the environment's own limit. width: episodes
    side by side. sandbox: a tier by name, see docs/sandbox.md.
    Episode i has the same seed for all candidates. Raises InputError for what cannot be meant,
    SetupError for what is missing on this machine.
    """

    def __init__(  # noqa: PLR0913
        self,
        env: str | Callable[..., Any],
        *,
        scale: Sequence[float] | None = None,
        success: bool = False,
        options: Mapping[str, Any] | None = None,
        about: str = "",
        reward: str = "",
        max_steps: int | None = None,
        name: str = "control",
        width: int = 1,
        sandbox: str | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        need_text(name, "the task's name")
        self.name, self.width = name, width
        self.splits: Mapping[str, Sequence[Example]] = {"all": Endless()}
        self.population: Literal["whole", "sample"] = "sample"
        self.judge: Judge | None = None
        self._scale = _scale(scale, success)
        self._make = world_maker(env, dict(options or {}))
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._sandbox = Sandbox(limits, tier=sandbox)
        with self._world() as world:
            self.steps_per_run = _most_steps(world, max_steps)
            self.about = self._described(world, about, reward)
            self._start = random_source(world.action_space)
            observation, _ = world.reset(seed=0)
            plain(observation)  # InputError where no program can be given it
            self.fingerprinted = content_hash(
                "control",
                describe_value(env),
                describe_value(dict(options or {})),
                self._scale,
                self.about,
                self.steps_per_run,
                asdict(limits),
            )

    @property
    def start(self) -> dict[str, str]:
        """An artifact to start from: a policy that acts at random, and an empty summary."""
        return {POLICY: self._start, SUMMARY: ""}

    def fingerprint(self) -> str:
        """Changes with the environment, its options, the score, and what is told of it."""
        return self.fingerprinted

    def check(self, artifact: Artifact) -> list[str]:
        """Complains of parts that are missing, not known, or not programs of the form asked for."""
        return acting_complaints(artifact)

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:
        """One episode; `seed` makes its start and its chances."""
        parts = candidate.artifact.parts
        tells = str(parts.get(SUMMARY, ""))
        with self._world() as world:
            episode = self._episode(world, parts[POLICY], seed, keep=bool(tells.strip()))
        record = Record(
            candidate.id,
            example.id,
            score=self._score(episode),
            output=in_words(episode),
            feedback=episode.fault,
            objectives=_objectives(episode),
            usage=Usage(steps=episode.steps),
            status=episode.status,
        )
        if not tells.strip() or episode.status != "ok":
            return record
        return self._told(record, tells, episode)

    def film(self, artifact: Artifact, seed: int = 0) -> str:
        """An episode of a policy as a strip of pictures, a PNG in base64; "" for none."""
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        world = self._make(True)
        try:
            if getattr(world, "render_mode", None) != "rgb_array":
                return ""
            every = max(1, self.steps_per_run // FRAMES // 4)
            episode = self._episode(world, artifact.parts[POLICY], seed, every=every)
        finally:
            world.close()
        png = filmstrip(episode.frames, FRAMES)
        return base64.b64encode(png).decode() if png else ""

    async def close(self) -> None:
        """End the sandbox and the environments; a later episode starts them again."""
        self._sandbox.close()
        with self._lock:
            idle, self._idle = self._idle, []
        for world in idle:
            world.close()

    def _episode(
        self, world: Any, source: str, seed: int, *, keep: bool = False, every: int = 0
    ) -> Episode:
        try:
            session = self._sandbox.open()
        except Fault as fault:
            return Episode(status="unknown", fault=fault.error)
        with session:
            return run_episode(
                world,
                session,
                source,
                seed % _MOST_SEED,
                self.steps_per_run,
                keep=keep,
                every=every,
            )

    def _told(self, record: Record, tells: str, episode: Episode) -> Record:
        """The record with the episode in the words of the artifact's own program."""
        outcome = self._sandbox.run(tells, "summarise", plain(episode.observations))
        if outcome.status == "service":
            return record
        if outcome.status != "ok" or not isinstance(outcome.value, str):
            why = outcome.error or f"summarise answered {shown(outcome.value)}, which is no text"
            return replace(record, trace={"summary_error": why})
        words = " ".join(outcome.value.split())[:SUMMARY_LONGEST]
        return replace(record, output=f"{words} ({episode.steps} steps, {episode.ended})")

    def _score(self, episode: Episode) -> float | None:
        if episode.status == "unknown":
            return None
        if episode.status != "ok":
            return 0.0
        if self._scale is None:
            return episode.success or 0.0
        low, high = self._scale
        return min(1.0, max(0.0, (episode.total - low) / (high - low)))

    @contextmanager
    def _world(self) -> Iterator[Any]:
        """An environment that nobody else uses; made where none is idle."""
        with self._lock:
            world = self._idle.pop() if self._idle else None
        if world is None:
            world = self._make(False)
        try:
            yield world
        finally:
            with self._lock:
                self._idle.append(world)

    def _described(self, world: Any, about: str, reward: str) -> str:
        action_space, seen = world.action_space, world.observation_space
        try:
            action_of(action_space, None)
        except InputError:
            raise
        except Exception:  # None is no action of any space
            pass
        sections = [
            about.strip() or own_words(world),
            f"act(observation) is given {space_in_words(seen)}.",
            f"It must return {space_in_words(action_space)}.",
            f"An episode has at most {self.steps_per_run} steps.",
        ]
        sections += [f"The reward:\n{reward.strip()}"] if reward.strip() else []
        if self._scale is None:
            sections.append("A policy is judged by the share of episodes that reach success.")
        return "\n".join(s for s in sections if s)


def _scale(scale: Any, success: bool) -> tuple[float, float] | None:
    if scale is None:
        if not success:
            raise InputError(
                "give scale=(low, high), the returns that score 0 and 1, or success=True where the "
                "environment says whether an episode succeeded"
            )
        return None
    if success:
        raise InputError("give either scale or success=True: a policy has one score")
    try:
        low, high = (float(x) for x in scale)
    except (TypeError, ValueError):
        raise InputError(f"scale is {shown(scale)}; give two numbers (low, high)") from None
    if not abs(low) + abs(high) < float("inf") or not low < high:
        raise InputError(f"scale is {shown(scale)}; low must be below high, and both finite")
    return low, high


def _most_steps(world: Any, given: int | None) -> int:
    own = getattr(getattr(world, "spec", None), "max_episode_steps", None)
    own = own or getattr(world.unwrapped, "max_steps", None)
    most = given if given is not None else own
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InputError(
            f"max_steps is {shown(most)}; episodes need an end: give the most steps of one"
        )
    return min(most, own) if own else most


def _objectives(episode: Episode) -> dict[str, float]:
    found = {"return": episode.total if episode.status == "ok" else 0.0}
    if episode.success is not None:
        found["success"] = episode.success
    return found if episode.status == "ok" else {}
