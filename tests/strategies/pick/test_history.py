"""Evidence over time stays small and keeps its ends."""

from optimand.strategies.pick.history import History


def test_a_long_history_is_thinned():
    history = History(["a", "b"])
    for i in range(100_000):
        history.add(i, (i / 10, 0.0))
    got = history.to_json(100_000, (1.23456, 2.0))
    assert 200 <= len(got["at"]) <= 401
    assert got["at"][0] == 0
    assert got["at"][-1] == 100_000
    assert got["a"][-1] == 1.235
    assert all(a == at / 10 for a, at in zip(got["a"][:-1], got["at"][:-1], strict=True))


def test_a_short_one_is_whole():
    history = History(["a"])
    for i in range(5):
        history.add(i, (i,))
    assert history.to_json(5, (9,)) == {"at": [0, 1, 2, 3, 4, 5], "a": [0, 1, 2, 3, 4, 9]}
