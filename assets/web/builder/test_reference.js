// What is heard as the original, and the sounds that show where the ends of the scale are.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { TestFiles } from "./test_files.js";
import { anchorsOf, referencesOf } from "./test_methods.js";
import { selectOption } from "./test_systems.js";

const NAME = "reference"; // of its files, as the studio calls them

export class TestReference {
  constructor({ part, change, takeFiles, has }) {
    this._part = part;
    this._change = change;
    this._plan = { texts: [] };
    const files = { name: NAME, texts: () => this._plan.texts, has: (text) => has(NAME, text) };
    this._files = new TestFiles({ ...files, take: (list, first) => takeFiles(NAME, list, first) });
    part("builder-reference-files").append(this._files.element);
    const set = (name) =>
      part(`builder-reference-${name}`).addEventListener("change", ({ target }) => this._set({ [name]: target.value || null }));
    for (const name of ["source", "voice", "system"]) set(name);
    part("builder-other-voice").addEventListener("change", ({ target }) => change({ other_voice: target.value || null }));
    part("builder-anchors").addEventListener("change", () => this._setAnchors());
  }

  // known: what there is to choose from; title(system) says what one is called.
  show(plan, known) {
    this._plan = plan;
    const { method, reference, systems, anchors } = plan;
    const sources = referencesOf(method);
    this._part("builder-reference").hidden = !sources.length;
    if (sources.length) this._showReference(sources, reference ?? { source: sources[0] }, systems, known);
    const offered = anchorsOf(method);
    this._part("builder-anchors-part").hidden = !offered.length;
    this._part("builder-anchors-about").textContent = words(method === "mushra" ? "tests.anchors_screen" : "tests.anchors_about");
    this._showAnchors(offered, anchors);
    const needsOther = anchors.includes("other-voice");
    this._part("builder-other").hidden = !needsOther;
    if (needsOther) fill(this._part("builder-other-voice"), namesOf(known), plan.other_voice, words("tests.choose_voice"));
  }

  showMade() {
    this._files.show();
  }

  _showReference(sources, { source, voice, system }, systems, known) {
    const of = (name) => this._part(`builder-reference-${name}`);
    fill(
      of("source"),
      sources.map((one) => [one, words(`tests.reference_${one}`)]),
      source,
    );
    of("about").textContent = words(`tests.reference_about_${source}`);
    of("voice").hidden = source !== "recording";
    of("system").hidden = source !== "system";
    of("files").hidden = source !== "files";
    if (source === "recording") fill(of("voice"), namesOf(known), voice, words("tests.first_voice"));
    if (source === "system")
      fill(
        of("system"),
        systems.map((one) => [one.id, known.title(one)]),
        system,
        words("tests.choose_system"),
      );
    this._files.show();
  }

  _set(values) {
    this._change({
      reference: { source: referencesOf(this._plan.method)[0], system: null, voice: null, ...this._plan.reference, ...values },
    });
  }

  _showAnchors(offered, chosen) {
    const list = this._part("builder-anchors");
    if (list.dataset.offered !== offered.join()) {
      list.dataset.offered = offered.join();
      list.replaceChildren(...offered.map(anchorOf));
    }
    for (const box of list.querySelectorAll("input")) box.checked = chosen.includes(box.value);
  }

  _setAnchors() {
    const boxes = [...this._part("builder-anchors").querySelectorAll("input:checked")];
    this._change({ anchors: boxes.map(({ value }) => value) });
  }
}

export const keyOfAnchor = (anchor) => anchor.replace(/[-.]/g, "_");

function anchorOf(anchor) {
  const box = make("input", { type: "checkbox", value: anchor });
  return make("label", { className: "check" }, box, make("span", { textContent: words(`tests.anchor_${keyOfAnchor(anchor)}`) }));
}

const namesOf = ({ voices }) => voices.map(({ name }) => [name, name]);

// unset: what stands for none, where one need not be chosen.
function fill(select, choices, value, unset) {
  const options = [...(unset ? [["", unset]] : []), ...choices];
  const written = JSON.stringify(options);
  if (select.dataset.options !== written) {
    select.dataset.options = written;
    select.replaceChildren(...options.map(([one, said]) => selectOption(one, said)));
  }
  select.value = value ?? "";
}
