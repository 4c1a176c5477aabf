"""Folders of text files as artifacts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optimand
from optimand import Artifact, read_folder, write_folder
from optimand.core.errors import InputError


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    root = tmp_path / "skill"
    (root / "references").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("hidden")
    (root / "SKILL.md").write_bytes("---\r\nname: é\n---\nBody".encode())
    (root / "references" / "api.md").write_text("api")
    (root / "run.py").write_text("print(1)")
    return root


def test_it_is_read_and_written_back_as_it_was(skill: Path, tmp_path: Path) -> None:
    artifact = read_folder(skill)
    assert list(artifact.parts) == ["SKILL.md", "references/api.md", "run.py"]
    assert artifact.parts["SKILL.md"] == "---\r\nname: é\n---\nBody"
    write_folder(artifact, tmp_path / "copy")
    assert read_folder(tmp_path / "copy") == artifact
    names = sorted(p.name for p in (tmp_path / "copy").rglob("*"))
    assert names == ["SKILL.md", "api.md", "references", "run.py"]


def test_patterns_choose_files(skill: Path) -> None:
    assert list(read_folder(skill, ["*.md"]).parts) == ["SKILL.md", "references/api.md"]
    assert list(read_folder(skill, ["references/*"]).parts) == ["references/api.md"]
    with pytest.raises(InputError, match="no file that matches"):
        read_folder(skill, ["*.txt"])


def test_other_files_and_modes_stay(skill: Path) -> None:
    (skill / "run.py").chmod(0o755)
    write_folder({"run.py": "print(2)"}, skill)
    assert (skill / "run.py").stat().st_mode & 0o777 == 0o755
    assert (skill / "run.py").read_text() == "print(2)"
    assert (skill / "SKILL.md").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "a/../../x",
        "/etc/x",
        "",
        ".",
        "..",
        "a//b",
        "a/",
        "./a",
        "a\\b",
        "C:x",
        "nul",
        "COM1.md",
        ".bashrc",
        "a/.ssh/b",
        "x\0y",
        "x\ny",
        "x.",
        "x ",
        "-rf",
        "~",
        "$HOME",
        "a*",
        "x\ud800",
        "x" * 300,
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be the name of a file"):
        write_folder(Artifact({"ok.md": "x", name: "x"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@given(st.text(max_size=12))
def test_whatever_the_name_nothing_is_written_outside(name: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        root = Path(place) / "in"
        try:
            write_folder({name: "x"}, root)
        except InputError:
            assert not root.exists()
        else:
            assert [p.name for p in Path(place).iterdir()] == ["in"]
            assert read_folder(root).parts == {name: "x"}


@pytest.mark.parametrize("pair", [("A.md", "a.md"), ("a", "a/b"), ("é", "e\u0301")])
def test_names_that_are_the_same_somewhere_are_refused(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    with pytest.raises(InputError):
        write_folder(dict.fromkeys(pair, "x"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_links_are_refused(skill: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (skill / "link.md").symlink_to(outside / "secret")
    with pytest.raises(InputError, match="is a link"):
        read_folder(skill)
    with pytest.raises(InputError, match="is a link"):
        write_folder({"link.md": "x"}, skill)
    (skill / "link.md").unlink()
    (skill / "there").symlink_to(outside)
    with pytest.raises(InputError, match="is a link"):
        write_folder({"there/secret": "x"}, skill)
    with pytest.raises(InputError, match="is a link"):
        read_folder(skill)
    assert (outside / "secret").read_text() == "secret"


def test_what_is_in_the_way_is_said(skill: Path) -> None:
    for name in ("references", "SKILL.md/x"):
        with pytest.raises(InputError, match="in the way"):
            write_folder({name: "x"}, skill)


def test_sizes_and_bytes_are_limited(skill: Path) -> None:
    with pytest.raises(InputError, match="over 100,000 bytes"):
        write_folder({"big.md": "x" * 100_001}, skill)
    with pytest.raises(InputError, match="Only texts"):
        write_folder({"n.md": 3}, skill)
    (skill / "image.png").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_folder(skill)
    (skill / "image.png").unlink()
    (skill / "big.md").write_text("x" * 100_001)
    with pytest.raises(InputError, match="over 100,000 bytes"):
        read_folder(skill)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused(skill: Path) -> None:
    os.mkfifo(skill / "pipe")
    with pytest.raises(InputError, match="no plain file"):
        read_folder(skill)


def test_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        optimand.read_folder(tmp_path / "missing")
