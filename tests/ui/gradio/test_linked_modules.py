"""Linked modules do what they did apart."""

import json
import subprocess

import pytest

from studio.ui.gradio.linked_modules import linked
from tests.scripts.test_scripts import NODE

MODULES = {
    "main.js": """
import "./asked.js";
import { count, increase, Named } from "./count.js";
import { first as one, second } from "./pair.js";
import { later } from "./round.js";

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
    "pair.js": 'export const { first, second } = { first: 1, second: 2 };\nglobalThis.order.push("pair");\n',
    "round.js": 'import { earlier } from "./trip.js";\nexport { earlier };\nexport function later() {\n  return earlier() + 1;\n}\n',
    "trip.js": 'import { later } from "./round.js";\nexport function earlier() {\n  return typeof later === "function" ? 41 : 0;\n}\n',
    "left_out.js": "throw new Error('nobody wants it');\n",
}


def test_they_run_in_order_with_names_of_their_own_and_see_what_others_set():
    ran = subprocess.run([NODE, "--input-type=module", "-"], input=linked(MODULES, "main.js"), capture_output=True, text=True, check=True)
    expected = {"order": ["asked", "count", "pair"], "before": 1, "after": 2, "name": "a class", "pair": [1, 2], "hidden": "of main"}
    assert json.loads(ran.stdout) == expected | {"later": 42}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("export function increase() {}\n", "increase is exported by count.js and by pair.js"),
        ('export * from "./count.js";\n', "pair.js has a line that cannot be linked: export *"),
        ("export default 1;\n", "cannot be linked: export default"),
        ('import all from "./count.js";\n', "cannot be linked: import all"),
        ('import { count } from "elsewhere";\n', "cannot be linked: import { count }"),
    ],
)
def test_a_name_of_two_modules_and_a_line_of_another_form_are_refused(text, said):
    with pytest.raises(ValueError, match=r"\*".join(said.split("*"))):
        linked(MODULES | {"pair.js": text}, "main.js")
