// A table of results from anywhere: what its columns are, and what they say. The studio keeps nothing of it: each question sends it anew.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

const ROLES = ["listener", "system", "text", "score", "other", "scale"];
const WHICH = "which"; // question, of several
const NEEDED = new Set(["listener", "system", "score"]);
const SIGNS = { "*": "judge_each_column", "#": "judge_each_row" };
const SIGNS_OF = { listener: ["#", "*"], system: ["*"], text: ["*"], score: [], other: [], scale: ["*"] };

export class JudgedResults {
  // show(test): what was found, null where something is still unclear.
  constructor({ part, ask, refuse, show }) {
    this._part = part;
    this._ask = ask;
    this._refuse = refuse;
    this._show = show;
    this._asked = null;
    part("judge-roles").addEventListener("change", ({ target }) => this._choose(target));
  }

  /** sent: a file, as the studio takes it. Gives the problem that stood in the way, if one did. */
  begin(sent) {
    this._asked = { sent, columns: {}, method: null, scale: "", counted: {} };
    this._part("judge").open = false;
    return this._judge();
  }

  /** Count a listener, or not, by hand; null leaves it to the rules. */
  async count(listener, counts) {
    const { [listener]: _, ...others } = this._asked.counted;
    const before = this._asked;
    this._asked = { ...before, counted: counts === null ? others : { ...others, [listener]: counts } };
    const problem = await this._judge();
    if (!problem) return;
    this._asked = before;
    this._refuse(problem);
  }

  /** {name, type, data} of a file of it, or {problem}. */
  file(kind) {
    return this._ask("judged_file", { ...this._asked, kind });
  }

  async _choose({ name, value }) {
    const before = this._asked;
    const isRole = ROLES.includes(name);
    const told = isRole ? { columns: { ...before.columns, [name]: value } } : { [name === WHICH ? "scale" : name]: value };
    this._asked = { ...before, ...told };
    const problem = await this._judge();
    if (!problem) return this._part("judge-roles").querySelector(`[name="${name}"]`)?.focus();
    return this._refuse(problem);
  }

  async _judge() {
    const asked = this._asked;
    const { problem, table, told, test } = await this._ask("judge_table", asked);
    if (asked !== this._asked) return null; // something else is asked by now
    if (problem) return problem;
    this._showTable(table, told);
    this._show(test, this._asked.sent.name);
    return null;
  }

  _showTable(table, told) {
    const isUnclear = table.lacking.length > 0 || !table.method;
    if (isUnclear) this._part("judge").open = true;
    this._part("judge-says").textContent = isUnclear ? unclear(table) : "";
    this._part("judge-told").replaceChildren(...told.map(({ key, values }) => make("li", { textContent: words(`tests.${key}`, values) })));
    this._part("judge-roles").replaceChildren(...ROLES.map((role) => roleField(role, table)), ...questionFields(table));
    const [head, body] = previewOf(table);
    this._part("judge-preview").querySelector("table").replaceChildren(head, body);
    this._part("judge-rows").textContent = words("tests.judge_rows", { n: table.rows.length, all: number(table.n_rows) });
  }
}

function unclear({ lacking, least, most }) {
  return lacking.length
    ? words("tests.judge_lacking")
    : words("tests.judge_unclear", { least: number(least, 0, 2), most: number(most, 0, 2) });
}

function roleField(role, { names, columns, lacking }) {
  const chosen = columns[role];
  const isSpread = role === "score" && !chosen && !lacking.includes("score");
  const none = isSpread ? "judge_each_column" : NEEDED.has(role) ? "judge_choose" : "judge_none";
  const signs = SIGNS_OF[role].map((sign) => [sign, words(`tests.${SIGNS[sign]}`)]);
  const options = [["", words(`tests.${none}`)], ...signs, ...names.map((name) => [name, name])];
  return field(role, words(`tests.judge_${role}`), options, chosen, lacking.includes(role));
}

function questionFields({ methods, method, scales, scale, lacking }) {
  if (lacking.length) return [];
  const ways = methods.map((way) => [way, words(`tests.method_${way.replace("-", "_")}`)]);
  const blank = method ? [] : [["", words("tests.judge_choose")]];
  const how = field("method", words("tests.judge_method"), [...blank, ...ways], method ?? "", !method);
  const asked = scales.map((name) => [name, name]);
  return scales.length > 1 ? [how, field(WHICH, words("tests.judge_which_scale"), asked, scale)] : [how];
}

function field(name, label, options, chosen, isLacking = false) {
  const select = make("select", { name, className: "select" });
  select.append(...options.map(([value, textContent]) => make("option", { value, textContent, selected: value === chosen })));
  if (isLacking) select.setAttribute("aria-invalid", "true");
  return make("label", { className: "field" }, make("span", { className: "name", textContent: label }), select);
}

function previewOf({ shown, rows }) {
  const heads = shown.map((textContent) => make("th", { scope: "col", textContent, dir: "auto" }));
  const lines = rows.map((cells) => make("tr", {}, ...cells.map((textContent) => make("td", { textContent, dir: "auto" }))));
  return [make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines)];
}
