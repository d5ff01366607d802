"""The order of the rooms of scripts is a law, too: a script imports only from rooms before its own, nothing goes in a circle."""

import re

import pytest

from tests.house.readme_map import READMES
from tests.house.rooms import MOST_FILES, MOST_FLOORS
from tests.house.script_rooms import LAYERS, SCRIPTS, TOP, ScriptRooms, room_of

STYLES = "styles"  # a room without scripts
AT_THE_TOP = {"main.js", "icon.svg"}


@pytest.fixture(scope="module")
def scripts() -> ScriptRooms:
    return ScriptRooms.read()


def test_a_script_imports_only_from_its_own_room_and_from_layers_before_it(scripts):
    layer = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
    rooms = {room_of(path) for path in scripts.texts}
    assert rooms == set(layer), f"no layer for {rooms - set(layer)}, no scripts in {set(layer) - rooms}"
    wrong = [f"{path} -> {other}" for path, other in scripts.arrows if layer[room_of(other)] >= layer[room_of(path)]]
    assert not wrong, f"imports against the order of the rooms: {wrong}"


def test_scripts_import_nothing_in_a_circle_and_their_house_stays_low(scripts):
    assert not scripts.circles()
    assert scripts.floors() <= MOST_FLOORS


def test_no_room_of_scripts_markup_and_styles_is_a_heap():
    files = [path for path in SCRIPTS.rglob("*") if path.is_file()]
    assert {path.name for path in files if path.parent == SCRIPTS} == AT_THE_TOP
    sizes: dict[str, int] = {}
    for path in files:
        room = path.parent.relative_to(SCRIPTS).as_posix()
        sizes[room] = sizes.get(room, 0) + 1
    assert set(sizes) - {"."} == {room for rooms in LAYERS for room in rooms} - {TOP} | {STYLES}
    assert not {room: size for room, size in sizes.items() if size > MOST_FILES}, "a new topic gets a room of its own"


def test_the_count_sees_every_form_of_import_circles_and_heights():
    texts = {
        "main.js": 'import "./b/two.js";\nimport {\n  one,\n  other,\n} from "./a/one.js";\n',
        "a/one.js": 'const text = "./b/two.js";\nexport { last } from "../c/last.js";\n',
        "b/two.js": 'import { one } from "../a/one.js";\nimport { near } from "./near.js";\n',
        "b/near.js": 'import "./two.js";\nimport "./made_by_the_server.js";\n',
        "c/last.js": "",
    }
    rooms = ScriptRooms(texts)
    assert rooms.room_arrows == {("main", "b"), ("main", "a"), ("a", "c"), ("b", "a")}
    assert (rooms.circles(), rooms.floors(), len(rooms.arrows)) == (["b/near.js -> b/two.js -> b/near.js"], 4, 4)
    with pytest.raises(ValueError, match="a -> c -> a"):
        ScriptRooms(texts | {"c/last.js": 'import "../a/one.js";\n'}).floors()


def test_the_readme_names_every_room_of_scripts_in_their_order():
    section = READMES["studio"].read_text(encoding="utf-8").split("## Scripts of the page")[1].split("\n## ")[0]
    named = re.findall(r"^\| `(\w+)(?:/|\.js)` \| \S", section, re.MULTILINE)
    assert named == [room for rooms in LAYERS for room in rooms] + [STYLES]
