import pytest

from optimand.storage.memory import MemoryStore


@pytest.fixture
def store():
    return MemoryStore()
