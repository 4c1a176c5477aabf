import os
import subprocess
import sys
import threading

import pytest

from optimand.core.errors import StorageError
from optimand.report.files import write_page


def test_a_new_file(tmp_path):
    path = tmp_path / "r.html"
    assert write_page("page ⟨\n", path) == path
    assert path.read_bytes() == "page ⟨\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_file_is_replaced_in_one_step_and_keeps_its_mode(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("old")
    path.chmod(0o600)
    with path.open() as reader:
        write_page("new", path)
        assert reader.read() == "old"  # whoever was reading it still reads all of it
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path, there):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if there:
        (folder / "r.html").write_text("old")
    second = tmp_path / "second"
    second.symlink_to(folder / "r.html")
    link = tmp_path / "link"
    link.symlink_to("second")
    write_page("new", link)
    assert link.is_symlink()
    assert second.is_symlink()
    assert (folder / "r.html").read_text() == "new"
    assert os.listdir(folder) == ["r.html"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_written_to(tmp_path, linked):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = tmp_path / "link" if linked else pipe
    if linked:
        path.symlink_to(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_page("page", path)
    reader.join(30)
    assert read == ["page"]
    assert pipe.is_fifo()
    assert sorted(os.listdir(tmp_path)) == (["link", "pipe"] if linked else ["pipe"])


CODE = """
import sys
from pathlib import Path
from optimand.report.files import write_page
print("before")
write_page("page\\n", Path(sys.argv[1]))
print("after")
"""


def test_our_own_output_is_written_to_and_not_replaced(tmp_path):
    out = tmp_path / "out"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", CODE, str(out)], stdout=file, check=True)
    assert out.read_text() == "before\npage\nafter\n"


def test_names_that_fit_the_system_fit(tmp_path):
    path = tmp_path / f"{'x' * 250}.html"
    assert write_page("page", path).read_text() == "page"


@pytest.mark.parametrize("name", ["no/r.html", "x" * 300, "a\0b", "a\ud800", "."])
def test_where_nothing_can_be_written(tmp_path, name):
    with pytest.raises(StorageError, match="cannot be written"):
        write_page("page", tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_a_link_in_a_circle(tmp_path):
    link = tmp_path / "loop"
    link.symlink_to("loop")
    with pytest.raises(StorageError, match="cannot be written"):
        write_page("page", link)
    assert link.is_symlink()
