"""Environment steps on a page: facts, spending and the search, and nothing where there are none."""

from tests.core.episodes import Episodes
from tests.methods.benches import token_editor, tokens_task
from tests.report import studies

import optimand
from optimand import Budget


def test_the_page_of_a_pick(store):
    result = optimand.pick(["A", "B"], Episodes(), budget=Budget(steps=2000), store=store)
    page = studies.page_of(store)
    taken = f"{result.spent['steps']:,.0f}"
    assert f"Environment steps {taken}" in page.text
    assert "For Done Environment steps Model calls" in page.text
    assert f"{result.spent['rollouts']:,.0f} {taken} 0 0 0" in page.text
    assert "steps: 2000" in page.text


def improved(task, store, **budget):
    return optimand.improve(
        "start",
        task,
        method={"type": "gepa", "steps": 20},
        proposer=token_editor(),
        budget=Budget(**budget),
        store=store,
    )


def test_the_page_of_an_improvement(store):
    result = improved(Episodes(tokens_task()), store, steps=4000)
    page = studies.page_of(store)
    taken = f"{result.spent['steps']:,.0f}"
    assert f"Environment steps {taken}" in page.text
    assert "Mean score on val over environment steps spent" in page.text
    assert f"Together {taken}" in page.text


def test_nothing_of_them_where_there_are_none(store):
    improved(tokens_task(), store, rollouts=400)
    assert "nvironment steps" not in studies.page_of(store).text
