"""The benchmark of duels that mind the cost: its table is made and written."""

from benchmarks.pick.costs import main


def test_the_table(tmp_path, capsys):
    main(["--runs", "4", "--world", "K5 BT .4, the best", "--out", str(tmp_path)])
    head, _line, row = (tmp_path / "costs.md").read_text(encoding="utf-8").splitlines()
    assert head.count("|") == row.count("|")
    assert row.startswith("| K5 BT .4, the best costs 20 | 4 | 0.77 |")
    assert row in capsys.readouterr().out
