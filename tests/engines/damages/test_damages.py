"""A damaged checkpoint is refused in words when it is opened. The whole table, of every damage on every engine, is `matrix.py`'s."""

from pathlib import Path

import pytest

from tests.engines.damages.damages import DAMAGES
from tests.engines.damages.layouts import LAYOUTS
from tests.engines.damages.matrix import cell, intact

# Each engine with damages that its own readers meet: of another one's files, of its vocabulary, of what is beside the weights.
OF_EACH = {
    "qwen3_tts": ("vocabulary of another model", "zeros for a tensor", "merges cut"),
    "voxcpm2": ("vocabulary of one token", "int8", "wrong codec"),
    "dots": ("a section null", "int8", "wrong codec"),
    "fish_speech": ("vocabulary of another model", "int8", "a tensor in two shards"),
    "omnivoice": ("wrong codec", "NaN", "index damaged"),
    "cosyvoice3": ("merges cut", "F8", "cut in half"),
    "voxtral": ("a web page", "table of text too short", "zeros for a tensor"),
    "pocket_tts": ("empty file", "a folder in its place", "a tensor twice in a header"),
}
QUICKEST = "kokoro"


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("damages")
    return {engine_id: intact(engine_id, place / engine_id / "intact") for engine_id in LAYOUTS}


@pytest.mark.parametrize("engine_id", OF_EACH)
def test_every_engine_refuses_what_its_own_readers_meet(folders, engine_id):
    assert {damage: cell(engine_id, damage, folders[engine_id]) for damage in OF_EACH[engine_id]} == dict.fromkeys(OF_EACH[engine_id], "ok")


def test_every_damage_of_weights_and_configuration_is_refused(folders):
    # Who may read nothing has to read the folder above, which tests keep to themselves.
    cells = {damage: cell(QUICKEST, damage, folders[QUICKEST]) for damage in DAMAGES if damage != "not permitted"}
    assert {damage: found for damage, found in cells.items() if found not in ("ok", "-")} == {}
    assert sum(found == "ok" for found in cells.values()) > len(DAMAGES) / 2
