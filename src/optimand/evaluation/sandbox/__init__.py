"""Programs that a model wrote, run where they can do no harm; see docs/sandbox.md."""

from optimand.evaluation.sandbox.limits import Limits
from optimand.evaluation.sandbox.outcome import Fault, Outcome, Status
from optimand.evaluation.sandbox.sandbox import Sandbox
from optimand.evaluation.sandbox.session import Session
from optimand.evaluation.sandbox.tiers import TIERS, Tier, probe

__all__ = [
    "TIERS",
    "Fault",
    "Limits",
    "Outcome",
    "Sandbox",
    "Session",
    "Status",
    "Tier",
    "probe",
]
