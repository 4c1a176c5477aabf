"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# No test depends on the clock, nor on chance: a busy machine is no failure.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
