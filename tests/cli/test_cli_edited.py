"""An edited study begins anew, and says what it differs in from the one before."""


def test_an_edited_study_says_so_once(run, study, client):
    limited = "judge: exact\nbudget: {rollouts: 6}"
    assert "note:" not in run("pick", study(("judge: exact", limited)), code=3).stderr
    assert "note:" not in run("pick", study(("judge: exact", limited)), code=3).stderr
    edited = study(("judge: exact", limited), ("system: odd", "system: other"))
    said = run("pick", edited, code=3).stderr
    note = next(line for line in said.splitlines() if line.startswith("note: "))
    assert "words.db holds words-" in note
    assert "differs in: candidates (2 of 3 the same); this is a new study" in note
    assert "note:" not in run("pick", edited, code=3).stderr
    again = study(
        ("judge: exact", "judge: contains\nbudget: {rollouts: 6}"), ("seed: 3", "seed: 4")
    )
    assert "candidates (2 of 3 the same), seed, judge;" in run("pick", again, code=3).stderr
