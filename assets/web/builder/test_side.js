// Beside the builder: what the test can tell, how it is asked, its sounds, what is still missing, and the way out.

import { shape } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { ask as agreeTo } from "../kit/library.js";
import { shownChanges } from "../kit/shown.js";
import { seconds, words } from "../words/words.js";
import { linkOf } from "./test_link.js";

const PLAIN = ["match_loudness", "headphones", "comments"];
const MORE = ["show_text", "equalise_bandwidth", "training", "no_preference", "scales_drawn"];
const ASKED = ["builder-name", "builder-main", "builder-asked"]; // what somebody changes
const FIRST = new Set(["sounds", "names", "orders"]); // checks that are always seen
const COUNTS = { repeats: [1, 64], questions_per_listener: [1, 1000], gold: [0, 10], traps: [0, 10] };
const UNSET = { questions_per_listener: "option_all_asked" }; // counts that may be none, and what stands in an empty field
const APPLIES = {
  no_preference: ({ method }) => method === "ab",
  scales_drawn: ({ scales }) => scales.length > 1,
  gold: ({ scales }) => !scales.length,
}; // others always do

export class TestSide {
  // change(values) of the plan; act(verb) at the studio; mend(mend): what a check asks for.
  constructor({ part, change, act, mend }) {
    this._part = part;
    this._change = change;
    this._act = act;
    this._mend = mend;
    this._test = null;
    this.isAsked = false;
    part("builder-options").replaceChildren(...PLAIN.map((name) => this._checkOf(name)));
    part("builder-more").replaceChildren(
      ...MORE.map((name) => this._checkOf(name)),
      ...Object.keys(COUNTS).map((name) => this._countOf(name)),
      this._marginField(),
    );
    part("builder-listeners").addEventListener("input", ({ target }) => change({ listeners: target.valueAsNumber }));
    part("builder-render").addEventListener("click", () => this._render());
    part("builder-freeze").addEventListener("click", () => this._freeze());
  }

  // known: what a draft may be made of.
  show(plan, known) {
    const slider = this._part("builder-listeners");
    slider.max = Math.max(50, plan.listeners);
    slider.value = plan.listeners;
    slider.style.setProperty("--at", `${(100 * (plan.listeners - 1)) / (slider.max - 1)}%`);
    this._part("builder-listeners-number").textContent = plan.listeners;
    for (const box of this._boxes) {
      box.checked = plan[box.name];
      box.closest("label").hidden = !(APPLIES[box.name]?.(plan) ?? true);
    }
    for (const field of this._part("builder-more").querySelectorAll("input[type=number]")) {
      if (field !== document.activeElement) field.value = plan[field.name] ?? "";
      field.closest("label").hidden = !(APPLIES[field.name]?.(plan) ?? true);
    }
    this._most = known.limits.margin[plan.method];
    for (const field of this._part("builder-more").querySelectorAll("input[type=number]"))
      if (field !== document.activeElement) field.value = plan[field.name] ?? "";
    this._part("builder-margin-about").textContent = words(this._most < 1 ? "tests.margin_voted" : "tests.margin_rated");
    this._part("builder-try").hidden = true;
    this._part("builder-freeze").disabled = true; // until the studio has looked at what was changed
  }

  /** Of another draft nothing is known yet. */
  begin() {
    for (const id of ["builder-power", "builder-checks"]) if (shownChanges(this._part(id), null)) this._part(id).replaceChildren();
    this._part("builder-passed").hidden = true;
    this._part("builder-rendering").hidden = true;
    this._part("builder-render-problem").textContent = "";
    this._part("builder-freeze-note").textContent = "";
    for (const id of ASKED) this._part(id).inert = false;
    this._test = null;
  }

  // test: as the studio has it, of which the plan is the one shown.
  showTest(test) {
    this._test = test;
    const { power, checks, progress } = test;
    if (shownChanges(this._part("builder-power"), power)) this._part("builder-power").replaceChildren(...power.map(powerLine));
    if (checks && shownChanges(this._part("builder-checks"), checks)) this._showChecks(checks);
    this._showProgress(progress);
    const isReady = !progress.is_running && checks.every(({ passed, needed }) => passed || !needed);
    this._part("builder-freeze").disabled = !isReady;
    this._part("builder-try").hidden = !isReady;
    this._part("builder-try").href = linkOf(test.link, { experimenter: 1 });
    this._part("builder-freeze-note").textContent = words(isReady ? "tests.freeze_note" : "tests.freeze_waits");
  }

  // What is missing first; of what is in order a few, and the rest folded.
  _showChecks(checks) {
    const standing = ({ passed, needed }) => (passed ? 2 : needed ? 0 : 1);
    const isSeen = (check) => !check.passed || FIRST.has(check.key);
    const seen = checks.filter(isSeen).sort((one, other) => standing(one) - standing(other));
    const folded = checks.filter((check) => !isSeen(check));
    this._part("builder-checks").replaceChildren(...seen.map((check) => this._checkLine(check)));
    const fold = this._part("builder-passed");
    fold.hidden = !folded.length;
    fold.querySelector("summary").textContent = words("tests.checks_passed", { n: folded.length });
    fold.querySelector("ul").replaceChildren(...folded.map((check) => this._checkLine(check)));
  }

  _showProgress({ done, total, seconds_left: left, now, is_running: isRunning, failure }) {
    const button = this._part("builder-render");
    button.querySelector("span").textContent = words(isRunning ? "tests.stop" : "tests.render");
    button.dataset.active = String(isRunning);
    this._part("builder-rendering").hidden = !isRunning;
    for (const id of ASKED) this._part(id).inert = isRunning; // nothing changes under the sounds being made
    this._part("builder-render-problem").textContent = failure ? [failure.fact, failure.hint].filter(Boolean).join(" ") : "";
    if (!isRunning) return;
    const percent = total ? Math.round((100 * done) / total) : 0;
    const bar = this._part("builder-rendering").querySelector(".progress");
    bar.firstElementChild.style.width = `${percent}%`;
    bar.setAttribute("aria-valuenow", percent);
    const time = left === null ? "" : words("tests.time_left", { time: seconds(Math.ceil(left)) });
    const said = [words("tests.rendered", { n: total, done }), time, now].filter(Boolean);
    this._part("builder-rendered").textContent = said.join(" · ");
  }

  get _boxes() {
    return ["builder-options", "builder-more"].flatMap((id) => [...this._part(id).querySelectorAll("input[type=checkbox]")]);
  }

  _checkOf(name) {
    const box = make("input", { type: "checkbox", name });
    box.addEventListener("change", () => this._change({ [name]: box.checked }));
    return make("label", { className: "check" }, box, make("span", { textContent: words(`tests.option_${name}`) }));
  }

  _countOf(name) {
    const [min, max] = COUNTS[name];
    const placeholder = name in UNSET ? words(`tests.${UNSET[name]}`) : "";
    const field = make("input", { type: "number", className: "input num", name, min, max, step: 1, placeholder });
    field.addEventListener("change", () => {
      const isUnset = name in UNSET && Number.isNaN(field.valueAsNumber);
      const value = isUnset ? null : Math.min(max, Math.max(min, Math.round(field.valueAsNumber) || min));
      field.value = value ?? "";
      this._change({ [name]: value });
    });
    return make("label", { className: "count" }, make("span", { className: "grow", textContent: words(`tests.option_${name}`) }), field);
  }

  // What is wrong, and what mends it, the smallest change first.
  _checkLine({ key, passed, needed, values, mends }) {
    const state = passed ? "good" : needed ? "failed" : "care";
    const said = make("span", { textContent: words(`tests.check_${key}${passed || key.endsWith("_not") ? "" : "_not"}`, values) });
    const standing = make("span", { className: "visually-hidden", textContent: words(`tests.standing_${state}`) });
    const mended = make("span", { className: "check-mends" }, ...mends.map(this._mendButton));
    const told = make("span", { className: "check-told" }, said, ...(mends.length ? [mended] : []));
    const line = make("li", {}, shape(state), standing, " ", told);
    line.dataset.state = state;
    return line;
  }

  _mendButton = (mend) => {
    const button = make("button", { type: "button", className: "link-button", textContent: words(`tests.mend_${mend.key}`, mend.values) });
    button.addEventListener("click", () => {
      if (!this.isAsked && !this._test?.progress.is_running) this._mend(mend);
    });
    return button;
  };

  // Empty, or above 0 and below what systems may differ by at most.
  _marginField() {
    const field = make("input", { type: "number", className: "input num", name: "margin", min: 0, step: "any" });
    field.setAttribute("aria-describedby", "builder-margin-about");
    field.addEventListener("change", () => {
      const value = field.valueAsNumber;
      const margin = value > 0 && value < this._most ? value : null;
      field.value = margin ?? "";
      this._change({ margin });
    });
    const label = make(
      "label",
      { className: "count" },
      make("span", { className: "grow", textContent: words("tests.option_margin") }),
      field,
    );
    return make("div", {}, label, make("p", { id: "builder-margin-about", className: "note" }));
  }

  _render() {
    if (!this.isAsked) this._act(this._test?.progress.is_running ? "stop" : "render");
  }

  async _freeze() {
    if (this.isAsked) return;
    const question = words("tests.freeze_ask");
    if (await agreeTo(question, words("tests.freeze_yes"), words("tests.not_yet"))) this._act("freeze");
  }
}

function powerLine({ key, values }, at) {
  return make("p", { className: at ? "note num" : "test-tells num", textContent: words(`tests.${key}`, values) });
}
