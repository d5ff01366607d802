"""Voices that other tools made, as the page's dialog asks about them."""

import base64

import numpy as np
import pytest
import safetensors.numpy

from studio.ui.create.creating import adopt_tensor, look_at_tensor
from tests.stand_ins.fake_engine import ADOPTER, INFO

FLOATS = np.full((5, 6), 2.0, np.float32)
AGREED = {"name": "Vox", "reason": "synthetic", "who": "made up"}


@pytest.fixture
def studio(open_studio):
    return open_studio(infos={info.id: info for info in (INFO, ADOPTER)}, warm_uploads=False)


def sent(values: np.ndarray) -> dict:
    data = safetensors.numpy.save({"embeddings": values})
    return {"sent": {"name": "vox.safetensors", "type": "", "data": base64.b64encode(data).decode()}}


def test_the_dialog_names_the_engines_that_take_the_file_and_no_others(studio):
    assert look_at_tensor(studio, sent(FLOATS)) == {"form": "embeddings", "frames": 5, "engines": ["Adopter"]}


def test_a_voice_of_the_same_name_is_replaced_only_where_that_was_agreed_to(studio):
    kept = adopt_tensor(studio, sent(FLOATS) | AGREED)["generation"]
    for replace in ({}, {"replace": False}, {"replace": "true"}):
        assert adopt_tensor(studio, sent(FLOATS + 1) | AGREED | replace)["problem"]
    assert studio.speaker("vox").generation_id == kept
    assert adopt_tensor(studio, sent(FLOATS + 1) | AGREED | {"replace": True})["voice"] == "Vox"
    assert studio.speaker("vox").tensor.read()[0, 0] == 3
