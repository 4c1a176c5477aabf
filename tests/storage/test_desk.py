"""A desk takes questions and answers beside the run that holds the study."""

from contextlib import closing

import pytest

from optimand.core.errors import StorageError


def test_a_desk_beside_the_run(make_store):
    with closing(make_store()) as store, closing(store.write("asking", {})) as run:
        with closing(store.desk("asking")) as desk:
            desk.ask({"first": "x"}, "k")
            assert run.questions() == [("k", {"first": "x"})]
            desk.give("k", {"choice": "tie"})
            desk.give("k", {"choice": "first"})
        assert run.answer("k") == {"choice": "tie"}
        with pytest.raises(StorageError, match="no study"):
            store.desk("unknown")
