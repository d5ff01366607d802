// What was found: the verdict first, then who was counted, the scores, the figures, and what is to be known beside them.

import { isCompared } from "../builder/test_methods.js";
import { letterSign } from "../builder/test_systems.js";
import { chip } from "../drawings/states.js";
import { make } from "../kit/frame.js";
import { menuButton } from "../kit/menu.js";
import { language, number, words } from "../words/words.js";
import { placeWords } from "./test_places.js";
import { conditionWords, everybodyParts, ruleRows } from "./test_screening.js";

const LEAST_P = 0.001;

export class TestFindings {
  // count(listener, counts): somebody counts a listener, or not, by hand; null leaves it to the rules. more(button, listener): wants more.
  constructor({ part, count, more }) {
    this._part = part;
    this._count = count;
    part("found-who").addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) more(button, button.dataset.key);
    });
    part("found-who").addEventListener("change", ({ target }) => count(target.value, target.checked));
  }

  /** plots: {title, svg, asked}, as the report has them. */
  show({ findings, plan, plots, log }) {
    this._letters = new Map(plan.systems.map(({ id }, at) => [id, at]));
    const all = [findings, ...findings.others];
    const notes = new Map(all.flatMap((one) => one.notes.map(inWords(one.systems))).map((line) => [JSON.stringify(line), line]));
    this._part("found-verdict").replaceChildren(...all.flatMap((one) => verdictOf(one, plan)));
    this._part("found-chips").replaceChildren(...chipsOf(findings));
    for (const id of ["found-plots", "found-figures"]) this._part(id).hidden = !findings.n_votes;
    this._part("found-plots").replaceChildren(...plots.map(plotOf));
    const tables = [...all.flatMap((one) => this._tablesOf(one, questionOf(one, plan))), ...heardTable(findings.who_heard)];
    this._part("found-figures").replaceChildren(...tables);
    this._showScreening(findings);
    this._part("found-notes").replaceChildren(...[...notes.values()].map((line) => lineOf("li", line)));
    this._part("found-who").replaceChildren(...findings.listeners.map(listenerLine));
    this._part("found-log").replaceChildren(...log.map(logLine));
  }

  _showScreening(findings) {
    const { everybody, rules, method } = findings;
    this._part("found-everybody").hidden = !everybody;
    this._part("found-screening").hidden = !rules.length;
    this._part("found-rules").replaceChildren(...tableOf(["rule", "out", "doubted"], ruleRows(rules), 0));
    if (!everybody) return;
    const inOwn = inWords(findings.systems);
    const said = (line) => lineOf("p", inOwn(line)).textContent;
    const tables = this._tablesOf({ ...everybody, method }, "");
    this._part("found-everybody-said").replaceChildren(...everybodyParts(everybody, findings, said, tables.at(-1)));
  }

  // Of one thing that was asked, which stands above them where the method does not say it.
  _tablesOf({ systems: found, pairs, method }, asked) {
    const systems = found.map((system) => ({ ...system, label: labelOf(system) }));
    const known = new Map(systems.map(({ system, label }) => [system, label]));
    const label = (system) => known.get(system) ?? system;
    const compared = pairs.length ? [this._pairRows(pairs, method, label)] : [];
    const tables = isCompared(method) ? compared : [this._systemRows(systems, method), ...compared];
    return tables.map((rows, at) => tableWith(rows, at ? "" : asked));
  }

  _systemRows(systems, method) {
    const columns = ["heard", "mean", "range", "median", "in_words"];
    const ranked = systems.filter(({ mean }) => mean !== null).sort((one, other) => other.mean - one.mean);
    const decimals = method.startsWith("mushra") ? 0 : 1;
    const rows = ranked.map((system) => {
      const { mean, low, high, median } = system;
      const figures = [figure(mean, decimals), rangeOf(low, high, decimals), figure(median, decimals), placeWords(system, systems)];
      return [this._nameOf(system), figures];
    });
    return tableOf(columns, rows);
  }

  // The ranges and p that decide: with all pairs counted.
  _pairRows(pairs, method, label) {
    const isShare = method === "abx" || method === "ab";
    const decimals = method.startsWith("mushra") ? 0 : 2;
    const columns = ["heard", isShare ? (method === "abx" ? "right" : "preferred") : "difference", "range", "votes", "in_words"];
    const rows = pairs.map((pair) => {
      const {
        system,
        other,
        n,
        share,
        share_low_all: shareLow,
        share_high_all: shareHigh,
        difference,
        low_all: low,
        high_all: high,
        wins,
      } = pair;
      const name = words("tests.pair", { system: label(system), other: label(other) });
      const value = isShare ? words("tests.percent", { n: round(100 * share) }) : signed(difference, decimals);
      const range = isShare
        ? rangeOf(hundredfold(shareLow), hundredfold(shareHigh), 0, "tests.range_percent")
        : rangeOf(low, high, decimals);
      const votes = isShare ? words("tests.of", { wins: number(wins, 0, 1), n }) : number(n);
      return [make("span", { textContent: name, dir: "auto" }), [value, range, votes, pairWords(pair)]];
    });
    return tableOf(columns, rows);
  }

  _nameOf({ system, label }) {
    const at = this._letters.get(system);
    const name = make("span", { textContent: label, dir: "auto" });
    return at === undefined ? name : make("span", { className: "beside" }, letterSign(at), name);
  }
}

// What was asked, where the method does not say it.
function questionOf({ method, scale }, plan) {
  if (method === "p835") return words(`tests.report_scale_${scale}`);
  return plan.scales.find(({ id }) => id === scale)?.question ?? scale;
}

function verdictOf(findings, plan) {
  const asked = questionOf(findings, plan);
  const lines = findings.verdict.map(inWords(findings.systems)).map((line) => lineOf("p", line, "claim"));
  return asked ? [make("h3", { className: "section-title", dir: "auto", textContent: asked }), ...lines] : lines;
}

function tableWith(rows, title) {
  const caption = title ? [make("caption", { dir: "auto", textContent: title })] : [];
  return make("table", { className: "table cards-table" }, ...caption, ...rows);
}

// Of ABX: who heard a difference, with all listeners counted.
function heardTable(heard) {
  if (!heard.length) return [];
  const rows = heard.map((one) => {
    const right = words("tests.of", { wins: number(one.right), n: one.n });
    return [make("span", { textContent: one.listener }), [right, pairWords(one)]];
  });
  return [tableWith(tableOf(["listener", "right", "in_words"], rows), words("tests.report_heard"))];
}

// Drawn by the studio, which writes names into it as text.
function plotOf({ title, svg, asked }) {
  const drawn = new DOMParser().parseFromString(svg, "text/html").body.firstChild;
  const room = make("div", { className: "plot", tabIndex: 0 }, drawn);
  room.setAttribute("role", "region");
  room.setAttribute("aria-label", [asked, title].filter(Boolean).join(": "));
  const heading = asked ? [make("h3", { className: "section-title", dir: "auto", textContent: asked })] : [];
  return make("section", { className: "card pad-big" }, ...heading, room);
}

/** How a system is called; a reference or an anchor by what it is. */
function labelOf({ system, label, role }) {
  const isNamed = role === "system" || !["", system, role].includes(label);
  return isNamed ? label || system : words(`tests.report_role_${keyOfRole(role)}`);
}

const keyOfRole = (role) => role.replaceAll("-", "_").replaceAll(".", "");

// As the sentences of findings have them: a value that names a reference or an anchor by its role says it in words.
function inWords(systems) {
  const named = new Map(systems.filter(({ role }) => role !== "system").map((system) => [system.label || system.system, labelOf(system)]));
  const said = (value) => (Array.isArray(value) ? value.map(said) : (named.get(value) ?? value));
  return ({ key, values }) => ({ key, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, said(value)])) });
}

function lineOf(tag, { key, values }, className = "") {
  return make(tag, { className, textContent: words(`tests.${key}`, values) });
}

function chipsOf({ listeners, n_listeners: counted, n_texts: texts, n_votes: votes }) {
  const out = listeners.filter(({ counts, exclusions }) => !counts && exclusions.length);
  const reasons = new Map();
  for (const { exclusions } of out) reasons.set(exclusions[0].reason, (reasons.get(exclusions[0].reason) ?? 0) + 1);
  const left = [...reasons].map(([reason, n]) => chip("care", words("tests.chip_out", { n, reason: words(`tests.short_${reason}`) })));
  const plain = (key, n) => make("span", { className: "chip plain", textContent: words(`tests.${key}`, { n }) });
  const said = words("tests.chip_counted", { n: counted });
  return [counted ? chip("good", said) : chip("care", said), ...left, plain("chip_texts", texts), plain("chip_votes", votes)];
}

// nWords: columns of words at the end.
function tableOf(columns, rows, nWords = 1) {
  const named = columns.map((column) => words(`tests.column_${column}`));
  const isFigure = (at) => at > 0 && at < columns.length - nWords;
  const heads = named.map((textContent, at) => make("th", { scope: "col", className: isFigure(at) ? "r" : "", textContent }));
  const lines = rows.map(([name, figures]) => {
    const cells = figures.map((textContent, at) => {
      const cell = make("td", { className: isFigure(at + 1) ? "r" : "", textContent });
      cell.dataset.name = named[at + 1];
      return cell;
    });
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  });
  return [make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines)];
}

const figure = (value, decimals) => (value === null ? "" : number(value, decimals, decimals));
const round = (value) => number(value, 0, 0);

const hundredfold = (share) => (share === null ? null : 100 * share);

function signed(value, decimals) {
  const said = figure(value, decimals);
  return value > 0 ? `+${said}` : said;
}

function rangeOf(low, high, decimals, key = "tests.range") {
  if (low === null || high === null || Number.isNaN(low)) return "";
  return words(key, { low: number(low, decimals, decimals), high: number(high, decimals, decimals) });
}

function pairWords({ p_all: shown }) {
  const said = shown < LEAST_P ? words("tests.p_below", { p: number(LEAST_P) }) : words("tests.p", { p: number(shown, 2, 3) });
  return words(shown < 0.05 ? "tests.clear" : "tests.as_chance", { p: said });
}

function listenerLine(one) {
  const { listener, n, counts, exclusions } = one;
  const box = make("input", { type: "checkbox", value: listener, checked: counts });
  const reasons = exclusions.map(({ reason, values }) => words(`tests.left_out_${reason}`, values));
  const name = make("span", { className: "strong num", textContent: listener });
  const votes = make("span", { className: "note num", textContent: words("tests.votes", { n }) });
  const standing = counts ? chip("good", words("tests.counts")) : chip("care", words("tests.left_out"));
  const said = make("span", { className: "note grow", textContent: [...reasons, conditionWords(one)].filter(Boolean).join(" ") });
  const label = make("label", { className: "check" }, box, name);
  box.setAttribute("aria-label", words("tests.count_listener", { listener }));
  const more = menuButton(words("tests.listener_more", { listener }));
  more.dataset.key = listener;
  return make("li", { className: "found-listener" }, label, standing, votes, said, more);
}

function logLine({ at, event, details }) {
  const when = new Date(1000 * at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const counted = details.counts === null ? "rules" : details.counts;
  const key = event === "counted" ? `log_counted_${counted}` : `log_${event}`;
  const said = words(`tests.${key}`, { listener: "", who: "", hash: "", ...details, voice: details.speaker ?? "" });
  return make("li", {}, make("span", { className: "num", textContent: `${when} ` }), make("span", { textContent: said }));
}
