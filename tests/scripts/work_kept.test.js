// What somebody did is not lost, and nothing is agreed to by the way: a refused edit, an empty history, a licence, a deletion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { small } from "./small_page.js";

// Loaded by the tests, since some of them teach the names of accents to all that run in this process.
const web = (path) => import(`../../assets/web/${path}`);
const settle = () => new Promise(setImmediate);
const notice = (properties = {}) => small("div", { className: "notice", ...properties }, small("p"), small("p"));
const asIs = (name) => small("div", { id: name });

test("an edit that was refused opens again with all that was typed, and says why", async () => {
  const { VoiceDialogs } = await web("voices/voice_dialogs.js");
  const names = ["name", "description", "transcript", "language", "tags"];
  const form = small("form", {}, ...names.map((name) => small("input", { name })));
  const dialog = small("dialog", { id: "voice-edit" }, form);
  const parts = [dialog, notice({ id: "voice-edit-message" }), small("form", { id: "voice-replace" }, small("input", { name: "who" }))];
  const part = (id) => parts.find((one) => one.id === id) ?? parts[parts.push(asIs(id)) - 1];
  const dialogs = new VoiceDialogs(part, async () => ({}));
  dialogs.prepare({ limits: {}, languages: ["en"], reasons: [] });
  const voice = { name: "Ana", description: "", transcript: "", language: "", tags: [] };
  const said = { name: "Ben", description: "typed for long", tags: "a, b", transcript: "one two", language: "en" };
  dialogs.edit(voice, { said, problem: { code: "name_taken", fact: "There is a voice Ben already.", hint: "" } });
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, form.elements[name].value])), said);
  assert.equal(part("voice-edit-message").dataset.kind, "problem");
  dialogs.edit(voice);
  assert.equal(form.elements.description.value, "", "of what was refused for another voice");
});

test("a complaint of what holds a step up is over once that is answered, and no other is", async () => {
  const [{ complain, isHeldUpBy }, { addPlace }] = [await web("create/create_notice.js"), await web("kit/notices.js")];
  const line = notice();
  addPlace("create-message", line);
  const press = (code) => complain({ code, fact: "Fact.", hint: "" });
  isHeldUpBy("consent_missing");
  press("consent_missing");
  isHeldUpBy("consent_missing");
  assert.equal(line.dataset.kind, "problem", "nothing is answered yet");
  isHeldUpBy("name_missing");
  assert.equal(line.dataset.kind, "");
  press("draft_gone");
  isHeldUpBy();
  assert.equal(line.dataset.kind, "problem", "it was never what held the step up");
});

function openHistory(entries) {
  const [voice, engine] = ["history-voice", "history-engine"].map((id) => small("select", { id }));
  const rest = ["history-find", "history-starred", "history-more", "history-used", "history-empty"].map((id) => small("input", { id }));
  const list = small("div", {}, small("ul", { id: "history-list" }));
  const element = small("div", {}, voice, engine, list, ...rest);
  const value = { entries, n_bytes: 0, most_entries: 9, keeps_any: true };
  window.studioMounts.push({ name: "history", element, props: { value }, trigger() {}, watch() {}, server: {} });
  return [voice, engine];
}

test("the lists of an empty history, from which nothing can be chosen, are not there", async () => {
  await web("history/history.js");
  assert.deepEqual(
    openHistory([]).map(({ hidden }) => hidden),
    [true, true],
  );
  const about = { options: {}, text: "Hi.", source_seconds: null, heard_ms: null, server_ms: null, ended: "ended", seconds: 1, at: 0 };
  const [voice] = openHistory([{ id: "1", voice: "Ana", engine: "Tone", ...about }]);
  assert.ok(!voice.hidden);
  assert.deepEqual(
    voice.options.map(({ value }) => value),
    ["", "Ana"],
  );
});

const CARD = {
  id: "large",
  title: "Large",
  summary: "",
  state: "absent",
  standing: "absent",
  shape: "none",
  command: "",
  reason: "",
  verb: ["fetch", "get"],
  make_room: null,
  elsewhere: null,
  report: "",
  restriction: "commercial use",
  is_accepted: false,
  is_here: false,
  weights: { state: "absent", done_bytes: 0, all_bytes: 10 },
  terms: { engine: "Large", licence: "NC", licences: [], attribution: "", forbids: "commercial use", meaning: "", is_non_commercial: true },
  facts: { languages: [], n_languages: 0, sample_rate: 24000, streams: "block", clones_clips: false, most_text_characters: 9 },
  unloads_in_seconds: null,
  streaming: 0,
  waiting: 0,
};

test("a licence is accepted by a button that warns of nothing, and not by the one that deletes", async (context) => {
  await web("engines/engine_cards.js");
  context.mock.method(document, "querySelector", () => null); // the question stands in the body
  const asked = [];
  const lists = ["engine-cards", "engines-here", "engines-away"].map((className) => small("ul", { className }));
  lists.push(small("p", { className: "engines-whose" }), small("div", { id: "more-engines" }, small("h2")));
  const element = small("div", {}, ...lists);
  const props = { value: { whose: "", cards: [CARD] } };
  window.studioMounts.push({ name: "engine-cards", element, props, watch() {}, trigger: (_, act) => asked.push(act) });
  element.querySelector(".engine-verb").click();
  const [keep, agree] = document.body.querySelector("dialog").querySelectorAll("button");
  assert.deepEqual([keep.className.trim(), agree.className], ["button", "button primary"]);
  assert.deepEqual(asked, [], "before it is agreed to");
  agree.click();
  await settle();
  assert.deepEqual(asked, [{ engine: "large", verb: "fetch", accepted: "commercial use" }]);
});

test("what was deleted of the history can be brought back by one press", async () => {
  const { deleteTakes } = await web("history/deleting.js");
  const { endStrip, mountStrip } = await web("kit/notices.js");
  globalThis.ResizeObserver = class {
    observe() {}
  };
  const strip = small("div", {}, notice(), notice());
  mountStrip(strip);
  const asked = [];
  const server = {
    delete_takes: async (values) => asked.push(["delete", values]) && { undo: "7", undo_seconds: 30 },
    restore_takes: async (values) => asked.push(["restore", values]) && { n: 2 },
  };
  let n_changes = 0;
  const onChange = () => {
    n_changes += 1;
  };
  await deleteTakes(["a", "b"], server, { place: "history-message", onChange });
  assert.match(strip.textContent, /2 takes are deleted.*Bring them back within 30 s/);
  const undo = strip.querySelector("button");
  assert.equal(document.activeElement, undo);
  const [tab, find] = [small("button"), document.querySelector];
  document.querySelector = () => tab;
  undo.click();
  await settle();
  document.querySelector = find;
  assert.equal(document.activeElement, tab, "what was deleted had the focus, and is gone");
  assert.deepEqual(asked, [
    ["delete", { entries: ["a", "b"] }],
    ["restore", { undo: "7" }],
  ]);
  assert.equal(n_changes, 2);
  assert.match(strip.textContent, /2 takes are back/);
  endStrip("2 takes are back.");
});
