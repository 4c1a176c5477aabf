"""Replay a recorded case study: no model is loaded, and nobody answers a mailbox.

    python examples/case_studies/replay.py gepa        (or textgrad, opticom)

Each run is `NAME.yaml` beside this file. The folder `recorded` holds every call that it made, as
the option `record` wrote it: `NAME.small.jsonl.gz` (the model that was prompted) and
`NAME.writer.jsonl` (the one that proposed); and `NAME.result.json`, what `--json` prints of it.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from optimand import improve
from optimand.core.model import Client, Reply, Request
from optimand.improve_result import ImproveResult
from optimand.llm import Replay
from optimand.tasks.improve_study import load_improve_study

__all__ = ["NAMES", "Recorded", "recorded_result", "replayed", "same_but_for_time"]

HERE = Path(__file__).parent
NAMES = ("gepa", "textgrad", "opticom")


class Recorded:
    """A Client that answers from a recording, under the name of the client that was recorded.

    `asked` counts the calls, `recorded` those in the file.
    """

    def __init__(self, file: Path) -> None:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        self.name = str(json.loads(data.split(b"\n", 1)[0])["client"])
        self.recorded, self.asked = data.count(b"\n"), 0
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder) / "calls.jsonl"
            plain.write_bytes(data)
            self._replay = Replay(plain)
        self.width = self._replay.width

    async def complete(self, request: Request) -> Reply:
        """See the Client protocol."""
        self.asked += 1
        return await self._replay.complete(request)

    async def close(self) -> None:
        """Nothing to free."""


def replayed(name: str) -> tuple[ImproveResult, list[Recorded]]:
    """The result of a case study, from its recordings alone, and the clients that answered."""
    made: list[Recorded] = []

    def connect(spec: str, **options: Any) -> Client:  # noqa: ARG001
        file = HERE / "recorded" / str(options["record"])
        packed = file.with_name(f"{file.name}.gz")
        made.append(Recorded(packed if packed.exists() else file))
        return made[-1]

    study = load_improve_study(HERE / f"{name}.yaml")
    result = improve(
        study.artifact,
        study.task(connect),
        method=study.method,
        proposer=study.clients(connect),
        change=study.change,
        confidence=study.confidence,
        budget=study.budget,
        seed=study.seed,
    )
    return result, made


def recorded_result(name: str) -> dict[str, Any]:
    """What the run itself printed with `--json`."""
    found: dict[str, Any] = json.loads(
        (HERE / "recorded" / f"{name}.result.json").read_text(encoding="utf-8")
    )
    return found


def same_but_for_time(result: dict[str, Any]) -> dict[str, Any]:
    """The result as plain JSON without the seconds that it took."""
    plain: dict[str, Any] = json.loads(json.dumps(result))
    plain["spent"].pop("seconds", None)
    plain["spent"].setdefault("steps", 0)  # recorded before steps of environments were counted
    return plain


def main() -> None:
    """Replay one run, print it, and say whether it is the run that was recorded."""
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in NAMES:
        sys.exit(f"Say which: {', '.join(NAMES)}.")
    result, clients = replayed(name)
    print(result)
    for part, text in result.best.artifact.parts.items():
        print(f"{part}: {text}")
    print(", ".join(f"{c.asked} of {c.recorded} calls of {c.name}" for c in clients))
    same = same_but_for_time(result.to_json()) == same_but_for_time(recorded_result(name))
    print("The same as recorded." if same else "NOT the same as recorded.")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
