// The tab "Listening tests": one of three views is seen, the list, the builder of a draft, or a frozen test with what was found.

import { TestBuilder } from "../builder/test_builder.js";
import { onMount } from "../kit/frame.js";
import { addPlace, say } from "../kit/notices.js";
import { onTestDraft } from "../kit/test_draft.js";
import { onThing, showsThing } from "../navigation/navigation.js";
import { clipSound } from "../sound/clip_sound.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";
import { TestResult } from "./test_result.js";
import { TestsList } from "./tests_list.js";

export let listeningTests;

const VIEWS = { list: ["tests-empty", "tests-full"], draft: ["builder"], frozen: ["found"] };
const PLACES = { list: "tests-message", draft: "builder-message", frozen: "found-message" };
const ROOM = "tests";
const NEW = "new"; // the thing of a draft that the studio does not know yet
const EMPTY_PLACE = "tests-empty-message";
const CONFIGURATION = /\.(ya?ml|csv|scp)$/i;

class ListeningTests {
  constructor({ element, props, trigger, watch, server }) {
    this._props = props;
    this._trigger = trigger;
    this._server = server;
    this._view = "list";
    this._part = (id) => element.querySelector(`#${id}`);
    const ask = (name, values) => called(server, name, values, "studio_away");
    this._ask = ask;
    const tools = { part: this._part, ask, refuse: (problem) => this._refuse(problem), leave: () => this._leave() };
    const copy = (id) => this._copy(id);
    this._list = new TestsList({ ...tools, copy, open: (id) => this.open(id), changed: () => trigger("look") });
    const kept = ({ id, name }) => this._view === "draft" && showsThing(ROOM, id, { isReplaced: true, title: name });
    this.builder = new TestBuilder({ ...tools, kept, frozen: (test) => this._showTest(test) });
    this._result = new TestResult({ ...tools, copy, changed: () => trigger("look") });
    for (const place of [...Object.values(PLACES), EMPTY_PLACE]) addPlace(place, this._part(place));
    for (const id of ["tests-new", "tests-first"]) this._part(id).addEventListener("click", () => this.draft());
    for (const id of ["tests-import", "tests-import-first"])
      this._part(id).addEventListener("change", ({ target }) => this._import(target));
    for (const id of ["tests-judge", "tests-judge-first"]) this._part(id).addEventListener("change", ({ target }) => this._judge(target));
    watch("value", () => this._show());
    this._show();
    onTestDraft((plan) => this.draft(plan));
    onThing(ROOM, (thing) => this._open(thing));
  }

  /** Shows a test as it is by now. */
  async open(id) {
    const { problem, test } = await this._ask("show_test", { id });
    if (problem) return this._refuse(problem);
    return this._showTest(test);
  }

  /** A new draft. plan: what is known of it. Seen once it is there: what is pressed before would change the draft that was here. */
  async draft(plan = {}) {
    const problem = await this.builder.begin(plan);
    if (problem) return this._refuse(problem);
    return this._setView("draft", { id: NEW });
  }

  async _copy(id) {
    const { problem, test } = await this._ask("act_on_test", { id, act: "copy" });
    if (problem) return this._refuse(problem);
    this._trigger("look");
    return this._showTest(test);
  }

  // By its address: a test, a new one, or the list.
  async _open(thing) {
    await this.builder.settled();
    if (!thing) return this._leave();
    await (thing === NEW ? this.draft() : this.open(thing));
    return this._view === "list" && showsThing(ROOM, "", { isReplaced: true }); // where it could not be opened
  }

  /** What is shown may be otherwise by now. */
  look() {
    if (this._view === "draft") this.builder.look();
    if (this._view === "frozen") this._result.look();
  }

  async _showTest(test) {
    if (test.state === "draft") {
      const problem = await this.builder.open(test);
      return problem ? this._refuse(problem) : this._setView("draft", test);
    }
    this._setView("frozen", test);
    const problem = await this._result.open(test);
    return problem && this._refuse(problem);
  }

  _leave() {
    this._setView("list");
    this._trigger("look");
    (this._part("tests-full").hidden ? this._part("tests-first") : this._part("tests-new")).focus();
  }

  // test: its id and name, of a view of one.
  _setView(view, { id = "", name = "" } = {}) {
    this._view = view;
    showsThing(ROOM, id, { title: name });
    say(this._place);
    this._show();
    if (view === "draft") this._part("builder-name").focus({ preventScroll: true });
    if (view === "frozen") this._part("found-back").focus({ preventScroll: true });
  }

  _show() {
    const tests = this._props.value?.tests;
    const isEmpty = !tests?.length;
    for (const [view, ids] of Object.entries(VIEWS)) for (const id of ids) this._part(id).hidden = view !== this._view;
    if (this._view !== "list") return;
    this._part("tests-empty").hidden = !tests || !isEmpty;
    this._part("tests-full").hidden = isEmpty;
    if (!isEmpty) this._list.show(tests);
  }

  get _place() {
    return this._view === "list" && this._part("tests-full").hidden ? EMPTY_PLACE : PLACES[this._view];
  }

  _refuse({ code, values, fact, hint }) {
    say(this._place, { kind: "problem", code, values, fact, hint });
  }

  // A table of results, which is no test and has no address.
  async _judge(input) {
    const [file] = input.files;
    if (!file) return;
    const sent = await clipSound.sent(file);
    input.value = "";
    const problem = await this._result.judge(sent);
    if (problem) return this._refuse(problem);
    return this._setView("frozen");
  }

  // One configuration, and the sounds that it names.
  async _import(input) {
    const files = [...input.files];
    input.value = "";
    const configuration = files.find(({ name }) => CONFIGURATION.test(name));
    if (!files.length) return;
    if (!configuration) return say(this._place, { kind: "problem", fact: words("tests.import_none"), hint: words("tests.import_about") });
    const sounds = await Promise.all(files.filter((file) => file !== configuration).map(clipSound.sent));
    const asked = { config: await clipSound.sent(configuration), sounds };
    const { problem, tests, left_out: left, lacking } = await this._ask("import_test", asked);
    if (problem) return this._refuse(problem);
    this._trigger("look");
    if (tests.length === 1) await this.open(tests[0].id);
    const missing = lacking.length ? [words("tests.import_lacking", { files: lacking })] : [];
    const hint = [...missing, ...left.map(({ key, values }) => words(`tests.${key}`, values))].join(" ");
    const fact = tests.length > 1 ? words("tests.imported_several", { n: tests.length }) : words("tests.imported", { name: tests[0].name });
    return say(this._place, { kind: hint ? "care" : "done", fact, hint });
  }
}

onMount("tests", (tools) => {
  listeningTests = new ListeningTests(tools);
});
