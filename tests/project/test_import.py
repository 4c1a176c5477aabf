"""Importing the package is quick, because it loads nothing."""

import subprocess
import sys

import optimand

TIMED = "import time; t = time.perf_counter(); import optimand; print(time.perf_counter() - t)"
LOADED = "import sys; import optimand; print('\\n'.join(sys.modules))"
HEAVY = {
    "numpy",
    "openai",
    "pydantic",
    "rich",
    "jinja2",
    "typer",
    "yaml",
    "pandas",
    "xllamacpp",
    "psycopg",
}


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_takes_less_than_a_tenth_of_a_second():
    # The fastest of several fresh processes: others slow a process down, nothing speeds one up.
    assert min(float(python(TIMED)) for _ in range(5)) < 0.1


def test_import_loads_no_heavy_module():
    loaded = {name.partition(".")[0] for name in python(LOADED).split()}
    assert not loaded & HEAVY


def test_every_public_name_loads():
    for name in optimand.__all__:
        assert getattr(optimand, name).__module__.startswith("optimand.")


def test_the_public_names_are_listed():
    from optimand import llm
    from optimand.evaluation import judges

    for package in (optimand, llm, judges):
        assert dir(package) == sorted(package.__all__)
