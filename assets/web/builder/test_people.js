// Who listens to a draft, and what they are asked beside the sounds: consent, quota, what they take along, the questionnaire.

import { make } from "../kit/frame.js";
import { words } from "../words/words.js";
import { TestForm } from "./test_form.js";

const ENDINGS = ["done", "screened_out", "full"];
const MOST = { consent: 4000, code: 60, redirect: 500, quota: 1000 }; // as a plan has them
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

export class TestPeople {
  // room: an element that is filled. change(values) of the plan.
  constructor(room, change) {
    this._change = change;
    this._consent = make("textarea", { className: "input", rows: 3, maxLength: MOST.consent, dir: "auto" });
    this._consent.addEventListener("input", () => change({ consent: this._consent.value.trim() }));
    this._quota = make("input", { type: "number", className: "input num", min: 1, max: MOST.quota, step: 1 });
    this._quota.placeholder = words("tests.no_quota");
    this._quota.addEventListener("change", () => change({ quota: quotaOf(this._quota) }));
    this._recruiting = make("input", { dir: "auto", className: "input", autocomplete: "off", spellcheck: false });
    this._recruiting.addEventListener("change", () => change({ recruiting: namesOf(this._recruiting.value) }));
    this._forms = {};
    for (const when of ["before", "after"])
      this._forms[when] = new TestForm({ title: words(`tests.form_${when}`), canScreenOut: when === "before", change: () => this._ask() });
    room.append(
      field("consent", this._consent, "consent_about"),
      this._forms.before.element,
      this._forms.after.element,
      field("quota", this._quota),
      this._endings(),
      field("recruiting", this._recruiting, "recruiting_about"),
    );
  }

  show(plan) {
    put(this._consent, plan.consent);
    put(this._quota, plan.quota ?? "");
    put(this._recruiting, plan.recruiting.join(", "));
    this._completion = plan.completion;
    for (const ending of ENDINGS) {
      const { code, redirect } = endingOf(plan.completion, ending);
      put(this._fields[ending].code, code);
      if (isAddress(this._fields[ending].redirect.value)) put(this._fields[ending].redirect, redirect);
    }
    this._own.checked = plan.completion.own_code;
    this._fields.done.code.disabled = plan.completion.own_code;
    for (const [when, form] of Object.entries(this._forms)) form.show(plan.questionnaire[when]);
  }

  /** Of another draft: what was not yet right is not its. */
  begin() {
    for (const form of Object.values(this._forms)) form.begin();
    for (const { redirect } of Object.values(this._fields)) redirect.value = "";
  }

  _ask() {
    const { before, after } = this._forms;
    this._change({ questionnaire: { before: before.questions([]), after: after.questions(before.questions([])) } });
  }

  _endings() {
    this._fields = {};
    this._own = make("input", { type: "checkbox" });
    this._own.addEventListener("change", () => this._end());
    const own = make("label", { className: "check" }, this._own, make("span", { textContent: words("tests.completion_own") }));
    const parts = ENDINGS.map((ending) => {
      const code = make("input", { dir: "auto", className: "input", maxLength: MOST.code, autocomplete: "off", spellcheck: false });
      const redirect = make("input", {
        dir: "auto",
        type: "url",
        className: "input",
        maxLength: MOST.redirect,
        placeholder: words("tests.ending_example"),
      });
      for (const input of [code, redirect]) input.addEventListener("change", () => this._end());
      this._fields[ending] = { code, redirect };
      const legend = make("legend", { className: "name", textContent: words(`tests.completion_${ending}`) });
      const beside = make("div", { className: "endings" }, field("completion_code", code), field("completion_redirect", redirect));
      return make("fieldset", { className: "stack ending" }, legend, ...(ending === "done" ? [own] : []), beside);
    });
    return make("section", { className: "stack" }, make("h4", { className: "name", textContent: words("tests.completion") }), ...parts);
  }

  // What is no https address is not kept, and marked.
  _end() {
    const told = {};
    for (const [ending, { code, redirect }] of Object.entries(this._fields)) {
      redirect.setAttribute("aria-invalid", String(!isAddress(redirect.value)));
      const kept = isAddress(redirect.value) ? redirect.value.trim() : endingOf(this._completion, ending).redirect;
      told[ending] = { code: code.value.replace(/[^!-~]/g, ""), redirect: kept };
    }
    const { done, ...others } = told;
    const isOwn = this._own.checked;
    this._change({ completion: { ...done, code: isOwn ? "" : done.code, own_code: isOwn, ...others } });
  }
}

const endingOf = (completion, ending) => (ending === "done" ? completion : completion[ending]);

/** Whether a plan takes it: nothing, or https with fields in braces in its query alone. */
export function isAddress(value) {
  const [place, ...query] = value.trim().split("?");
  if (!place && !query.length) return true;
  if (/[\s{}@\\<>"']/.test(place) || /[{}\s]/.test(query.join("?").replace(/\{\w+\}/g, ""))) return false;
  return URL.canParse(place) && new URL(place).protocol === "https:";
}

export const namesOf = (value) => [...new Set(value.split(/[\s,;]+/).filter((name) => NAME.test(name)))].slice(0, 12);

function quotaOf({ value, valueAsNumber }) {
  return value && valueAsNumber >= 1 ? Math.min(MOST.quota, Math.round(valueAsNumber)) : null;
}

function put(input, value) {
  if (input !== document.activeElement && input.value !== String(value)) input.value = value;
}

function field(key, input, about = "") {
  const name = make("span", { className: "name", textContent: words(`tests.${key}`) });
  const note = about ? [make("span", { className: "note", textContent: words(`tests.${about}`) })] : [];
  return make("label", { className: "field" }, name, input, ...note);
}
