"""`optimand methods`: every method can be listed and shown."""

import json

import pytest

from optimand.methods.registry import all_methods


def test_the_table_names_source_models_and_result(run):
    text = run("methods").stdout
    for name, method in all_methods().items():
        line = next(line for line in text.splitlines() if line.startswith(name))
        assert " ".join(method.source.split())[:20] in line
    assert "highest mean on val" in text


def test_as_json(run):
    found = {m["name"]: m for m in json.loads(run("methods", "--json").stdout)}
    assert set(found) == set(all_methods())
    assert found["gepa"]["options"]["minibatch"] == 3
    assert found["gepa"]["models"] == ["proposer"]


@pytest.mark.parametrize("name", sorted(all_methods()))
def test_show(run, name):
    text = run("methods", "show", name).stdout
    method = all_methods()[name]
    assert (method.search.__doc__ or "").split("\n")[0] in text
    for option, default in method.defaults.items():
        assert f"  {option}: {default!r}" in text
    value = json.loads(run("methods", "show", name, "--json").stdout)
    assert value["parts"]
    assert value["source"] == method.source


def test_an_unknown_method(run):
    assert "Did you mean 'gepa'" in run("methods", "show", "gepaa", code=2).stderr
