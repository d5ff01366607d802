"""Linked modules do what they did apart."""

import json
import re
import subprocess

import pytest

from studio.ui.gradio.linked_modules import linked, linked_in_turn
from tests.scripts.test_scripts import NODE

MODULES = {
    "main.js": """
import "./asked.js";
import { count, increase, Named } from "./count.js";
import { first as one, second } from "./pairs/pair.js";
import { later } from "./rounds/round.js";

const order = globalThis.order;
const before = count;
increase();
const hidden = "of main";
export const said = { order, before, after: count, name: new Named().name, pair: [one, second], hidden, later: later() };
console.log(JSON.stringify(said));
""",
    "asked.js": 'globalThis.order = ["asked"];\n',
    "count.js": """
import "./asked.js";
export let count = 1;
export let unset;
const hidden = "of count";
globalThis.order.push("count");
export function increase() {
  count += 1;
  unset = hidden;
}
export class Named {
  name = "a class";
}
export async function* lines() {}
""",
    "pairs/pair.js": """
import "../asked.js";
import { width } from "./inner/width.js";
export const { first, second } = { first: 1, second: width };
globalThis.order.push("pair");
""",
    "pairs/inner/width.js": 'import "../../asked.js";\nexport const width = 2;\nglobalThis.order.push("width");\n',
    "rounds/round.js": """
import { earlier } from "../trip.js";
export { earlier };
export function later() {
  return earlier() + 1;
}
""",
    "trip.js": """
import { later } from "./rounds/round.js";
export function earlier() {
  return typeof later === "function" ? 41 : 0;
}
""",
    "left_out.js": "throw new Error('nobody wants it');\n",
}


def test_they_run_in_order_with_names_of_their_own_and_see_what_others_set():
    ran = subprocess.run([NODE, "--input-type=module", "-"], input=linked(MODULES, "main.js"), capture_output=True, text=True, check=True)
    expected = {
        "order": ["asked", "count", "width", "pair"],
        "before": 1,
        "after": 2,
        "name": "a class",
        "pair": [1, 2],
        "hidden": "of main",
    }
    assert json.loads(ran.stdout) == expected | {"later": 42}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("export function increase() {}\n", "increase is exported by count.js and by pairs/pair.js"),
        ('export * from "../count.js";\n', "pairs/pair.js has a line that cannot be linked: export *"),
        ("export default 1;\n", "cannot be linked: export default"),
        ('import all from "../count.js";\n', "cannot be linked: import all"),
        ('import { count } from "elsewhere";\n', "cannot be linked: import { count }"),
    ],
)
def test_a_name_of_two_modules_and_a_line_of_another_form_are_refused(text, said):
    with pytest.raises(ValueError, match=r"\*".join(said.split("*"))):
        linked(MODULES | {"pairs/pair.js": text}, "main.js")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("../../count.js", "pairs/pair.js imports ../../count.js, which leaves the folder"),
        ("./../../count.js", "leaves the folder"),
        ("./count.js", "pairs/pair.js imports pairs/count.js, which does not exist"),
        ("../none.js", "pairs/pair.js imports none.js, which does not exist"),
        ("../pairs", "pairs/pair.js imports pairs, which does not exist"),
    ],
)
def test_a_path_that_leaves_the_folder_or_names_no_module_is_refused(source, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        linked(MODULES | {"pairs/pair.js": f'import "{source}";\n'}, "main.js")


def test_one_module_by_two_ways_of_writing_its_path_is_one():
    modules = {"main.js": 'import "./a/one.js";\nimport "./b/../a/one.js";\n', "a/one.js": "globalThis.ran = 1;\n"}
    assert linked(modules, "main.js").count("globalThis.ran") == 1


def test_scripts_in_turn_do_what_one_does_and_have_each_module_once(tmp_path):
    later = {
        "later.js": 'import { count } from "./count.js";\nimport { last } from "./last.js";\nconsole.log(count + last);\n',
        "last.js": "export const last = 1;\n",
    }
    first, others, last = linked_in_turn(MODULES | later, {"count.js": "./first.mjs", "main.js": "./others.mjs", "later.js": "./last.mjs"})
    for name, script in (("first.mjs", first), ("others.mjs", others), ("last.mjs", last)):
        (tmp_path / name).write_text(script, encoding="utf-8")
    ran = subprocess.run([NODE, str(tmp_path / "others.mjs")], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["after"] == 2 and json.loads(ran.stdout)["later"] == 42
    assert ("{ // count.js" in first, "{ // count.js" in others, "{ // count.js" in last) == (True, False, False)
    assert "{ // last.js" in last and "{ // last.js" not in others
    ran = subprocess.run([NODE, str(tmp_path / "last.mjs")], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "3"  # the same count, of the script that has run


def test_what_comes_late_needs_no_other_that_does_and_what_both_reach_is_in_the_last_before(tmp_path):
    modules = {
        "main.js": 'import { one } from "./one.js";\nconsole.log(one);\n',
        "one.js": "export const one = 1;\n",
        "both.js": 'import { one } from "./one.js";\nexport const both = one + 1;\n',
        "a.js": 'import { both } from "./both.js";\nimport { mine } from "./mine.js";\nconsole.log(both + mine);\n',
        "mine.js": "export const mine = 10;\n",
        "b.js": 'import { both } from "./both.js";\nconst mine = 100;\nconsole.log(both + mine);\n',
    }
    scripts = linked_in_turn(modules, {"one.js": "./first.mjs", "main.js": "./main.mjs"}, ["a.js", "b.js"])
    for name, script in zip(("first.mjs", "main.mjs", "a.mjs", "b.mjs"), scripts, strict=True):
        (tmp_path / name).write_text(script, encoding="utf-8")
    assert "a.mjs" not in scripts[3] and [script.count("{ // both.js") for script in scripts] == [0, 1, 0, 0]
    for name, said in (("a.mjs", ["1", "12"]), ("b.mjs", ["1", "102"])):
        ran = subprocess.run([NODE, str(tmp_path / name)], capture_output=True, text=True, check=True)
        assert ran.stdout.split() == said
