"""Fixtures: a door over one fake engine, and a maker of doors over others."""

import pytest

from tests.api.door import Door


@pytest.fixture
def open_door(tmp_path):
    """open_door(*engines, **settings) -> Door; closed after the test."""
    doors = []

    def make(*engines, **settings) -> Door:
        doors.append(Door(tmp_path / "speakers", *engines, **settings))
        return doors[-1]

    yield make
    for door in doors:
        door.close()


@pytest.fixture
def door(open_door) -> Door:
    return open_door()
