"""The order of the rooms is a law: a file imports only from rooms that stand before its own, and nothing goes in a circle."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.house.rooms import LAYERS, MODELS, MOST_FILES, MOST_FLOORS, arrows, circles, floors, layer_of, rooms, unit_of, units
from tests.house.source_files import ROOT, imports, module_name, nodes_of, product_files, text_of, tracked, within

# Rooms of the kit that the studio knows, since they tell what a sound is: whose voice, where its words are, its pitch and its syllables
# -> who alone knows them.
OF_THE_STUDIO_TOO = {
    "engines.kit.speaker": "studio.analysis",
    "engines.kit.alignment": "studio.speech.words",
    "engines.kit.signal": "studio.evaluations.measures",
    "engines.kit.phonemes": "studio.evaluations.measures",
}


def test_a_file_imports_only_from_its_own_room_and_from_layers_before_it():
    for folder, layers in LAYERS.items():
        named = {unit for layer in layers for unit in layer}
        assert set(units(folder)) == named, f"{folder or 'the top'}: no layer for {set(units(folder)) ^ named}"
        wrong = [
            f"{name} -> {other}"
            for name, other in arrows(folder)
            if layer_of(unit_of(other, folder), folder) >= layer_of(unit_of(name, folder), folder)
        ]
        assert not wrong


def test_nothing_imports_in_a_circle_and_the_house_stays_low():
    assert not circles()
    assert not {folder: height for folder in ["", *rooms()] if (height := floors(units(folder))) > MOST_FLOORS}


def test_no_room_is_a_heap():
    assert not {folder: n for folder, n in rooms().items() if n > MOST_FILES}
    of_tests = Counter(file.parent for file in tracked("tests/**.py"))
    assert not {folder: n for folder, n in of_tests.items() if n > MOST_FILES}


def test_doors_reach_no_further_than_verbs_of_the_studio_and_of_its_named_parts():
    """studio.history.entries(), and no studio.history.folder.entries() or studio._cache. Settings are values, and have no verbs."""
    for file in product_files():
        if any(within(module_name(file), f"studio.{door}") for door in ("api", "ui", "wyoming", "notebook")):
            reached = [(node.lineno, _behind_studio(node)) for node in nodes_of(file) if isinstance(node, ast.Attribute)]
            far = [(line, names) for line, names in reached if any(name.startswith("_") for name in names) or len(names) > 2]
            assert not [(line, names) for line, names in far if names[0] != "settings"], file


def test_a_view_is_made_by_a_constructor_and_is_no_copy_that_is_changed():
    copies = [file for file in product_files() if within(module_name(file), "studio") and "copy(self)" in text_of(file)]
    assert not copies


def _behind_studio(node: ast.AST) -> list[str]:
    """The names that an attribute reaches through, behind the last that stands for a studio."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        if node.attr in ("studio", "_studio"):
            return names
        names.insert(0, node.attr)
        node = node.value
    return names if isinstance(node, ast.Name) and node.id in ("studio", "visitor", "view") else []


def test_a_test_of_an_engine_imports_no_studio():
    """What every test imports, and those of a tensor: seconds in each process, and a change of the studio that reaches them."""
    code = "import sys, tests.conftest, tests.engines.conftest; print({'studio', 'gradio', 'hypothesis'} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout
    assert told.strip() == "set()"


def test_doors_know_no_torch_and_models_know_neither_each_other_nor_the_studio():
    models = set(MODELS)
    for file in product_files():
        me, imported = module_name(file), set(imports(file))
        if within(me, "engines"):
            assert not [name for name in imported if within(name, "studio")], me
            others = models - {me.split(".")[1]} if len(file.relative_to(ROOT).parts) > 2 else set()
            assert not [name for name in imported for model in others if within(name, f"engines.{model}")], me
            continue
        if not within(me, "studio.measure"):
            known = [name for name in imported for model in {*models, "kit"} if within(name, f"engines.{model}")]
            shared = [room for room, holder in OF_THE_STUDIO_TOO.items() if within(me, holder)]
            assert not [name for name in known if not any(within(name, room) for room in shared)], me
        if any(within(me, f"studio.{door}") for door in ("api", "ui", "notebook", "measure")):
            assert not [name for name in imported if within(name, "torch")], me


def test_the_product_knows_no_tests():
    quoted = ('"tests' + ".", "'tests" + ".")
    for file in product_files():
        assert not [name for name in imports(file) if within(name, "tests")], file
        assert not any(words in text_of(file) for words in quoted), file


def test_every_folder_of_the_product_says_what_it_holds():
    folders = {file.parent for file in product_files()} - {ROOT}
    assert not [folder for folder in folders if not (Path(folder) / "__init__.py").exists()]
    assert tracked("*.py")
