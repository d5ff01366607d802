"""Fixtures: a door over one fake engine, a maker of doors over others, and the transport that must agree with them."""

import pytest

from studio.running import stream
from tests.api.door import Door
from tests.api.through_gradio import assert_the_transports_agree
from tests.stand_ins.opened_studio import no_estimators, open_studio  # noqa: F401 - fixtures


@pytest.fixture
def doors(tmp_path):
    """All doors of the test; closed after it."""
    doors: list[Door] = []
    yield doors
    for door in doors:
        door.close()


@pytest.fixture
def open_door(doors, tmp_path):
    """open_door(*engines, **settings) -> Door."""

    def make(*engines, **settings) -> Door:
        doors.append(Door(tmp_path / "speakers", *engines, **settings))
        return doors[-1]

    return make


@pytest.fixture
def gradio_agrees(doors, pytestconfig):
    """After the test every body that it sent is sent through Gradio's queue too, unless what is done again is left out."""
    yield
    for door in () if "not again" in pytestconfig.option.markexpr else doors:
        assert_the_transports_agree(door)


@pytest.fixture
def door(open_door) -> Door:
    return open_door()


@pytest.fixture
def each_chunk_alone(monkeypatch):
    """A stand-in makes all at once, and what is ready together goes together; here each chunk goes as if the next were not there yet."""
    monkeypatch.setattr(stream, "TOGETHER_SECONDS", 0.0)
