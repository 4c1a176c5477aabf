"""`warm_start` in a study file."""

import json

FIRST = ('  - {name: odd, system: odd, prompt: "{input}", temperature: 1}\n', "")
BUDGET = ("seed: 3", "seed: 3\nbudget: {rollouts: 12}")


def origin(name, store=""):
    return ("seed: 3", f"seed: 3\nwarm_start: {{study: {name}{store}}}")


def test_it_goes_on_from_the_study_named(run, study):
    first = run("pick", study(FIRST, BUDGET, name="first.yaml"), "--json", code=3)
    found = json.loads(first.stdout)
    later = run("pick", study(origin(found["study"]), name="later.yaml"))
    assert f"carried on from {found['study']}: {found['used']} rollouts" in " ".join(
        later.stdout.split()
    )


def test_an_unknown_one_is_told(run, study):
    run("pick", study(FIRST, BUDGET, name="first.yaml"), code=3)
    told = run("pick", study(origin("words-0"), name="later.yaml"), code=2)
    assert "no study 'words-0'" in " ".join(told.stderr.split())
    gone = run("pick", study(origin("words-0", ", store: gone.db"), name="later.yaml"), code=2)
    assert "gone.db" in gone.stderr


def test_a_field_that_is_not_known(run, study):
    told = run("pick", study(origin("words-0", ", confidence: 1"), name="later.yaml"), code=2)
    assert "warm_start.confidence" in told.stderr
