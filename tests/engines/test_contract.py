"""Every engine of the catalog keeps the contract (engines/contract_suite.py)."""

from collections.abc import Iterator

import pytest

from engines.catalog import engine_ids
from engines.contract_suite import *  # noqa: F403
from tests.engines.subjects import KINDS, SUBJECTS, Subject


@pytest.fixture(scope="module", params=sorted(SUBJECTS))
def subject(request) -> Iterator[Subject]:
    subject = SUBJECTS[request.param]()
    yield subject
    subject.engine.close()


def test_every_engine_of_the_catalog_is_held_to_this_suite():
    assert {KINDS.get(name, name) for name in engine_ids()} <= set(SUBJECTS)
