// Scores, who beats whom, and how often each mark was given: drawn in the page, and said in words to who does not see them.

import { make } from "../kit/frame.js";
import { number, words } from "../words/words.js";

const LANES = "abcdef";
const LAST_LANE = "f"; // of what is no system of the plan
const SCALES = { mos: [1, 5, 1], smos: [1, 5, 1], mushra: [0, 100, 20], "mushra-like": [0, 100, 20], cmos: [-3, 3, 1] }; // least, most, step
const SHARES = [0, 100, 20]; // of pairs, per cent
const SPREAD = 0.618034; // of dots over the height of a row: no two neighbours are alike

/** Mean, range and each listener, a row for each system, or for each pair. letters: system -> its number in the plan. */
export function scoresPlot({ method, systems, pairs }, label, letters) {
  const scale = SCALES[method] ?? SHARES;
  const rows =
    systems.some(({ mean }) => mean !== null) && method !== "cmos" ? rowsOfSystems(systems, letters) : rowsOfPairs(pairs, method, label);
  if (!rows.length) return null;
  const decimals = scale[1] === 100 ? 0 : method === "cmos" ? 2 : 1;
  const all = make("div", { className: "ci-all" }, ...rows.map((row) => rowOf(row, scale, decimals)), axisOf(scale));
  all.style.setProperty("--ticks", (scale[1] - scale[0]) / scale[2]);
  all.setAttribute("role", "img");
  const said = rows.map(({ name, mean, low, high }) =>
    words("tests.plot_row", { name, mean: at(mean, decimals), low: at(low, decimals), high: at(high, decimals) }),
  );
  all.setAttribute("aria-label", said.join(" "));
  const kind = SCALES[method] ? (method === "cmos" ? "difference" : "scores") : method;
  return cardOf(`tests.plot_${kind}`, `tests.plot_${kind}_about`, all);
}

/** Row beats column, in per cent of votes, or in points. */
export function beatsPlot({ method, systems, pairs }, label) {
  const compared = systems.map(({ system }) => system).filter((name) => pairs.some(({ system, other }) => [system, other].includes(name)));
  if (method === "abx" || !compared.length) return null;
  const isShare = pairs.every(({ share }) => share !== null);
  const table = make(
    "table",
    { className: "beats num" },
    make("caption", { className: "visually-hidden", textContent: words("tests.plot_beats") }),
  );
  const heads = compared.map((name) => make("th", { scope: "col", dir: "auto", textContent: label(name), title: label(name) }));
  table.append(make("thead", {}, make("tr", {}, make("td"), ...heads)));
  const rows = compared.map((row) => {
    const cells = compared.map((column) => beatsCell(pairs, row, column, isShare));
    return make("tr", {}, make("th", { scope: "row", dir: "auto", textContent: label(row), title: label(row) }), ...cells);
  });
  table.append(make("tbody", {}, ...rows));
  return cardOf(
    "tests.plot_beats",
    isShare ? "tests.plot_beats_share" : "tests.plot_beats_points",
    make("div", { className: "beats-room" }, table),
  );
}

/** How often each mark from 1 to 5 was given. */
export function histogramOf({ label, histogram }, at) {
  const most = Math.max(1, ...histogram);
  const bars = histogram.map((n, mark) => {
    const bar = make("i");
    bar.style.height = `${(100 * n) / most}%`;
    return make(
      "span",
      {},
      make("b", { textContent: number(n) }),
      make("span", { className: "histogram-room" }, bar),
      make("small", { textContent: mark + 1 }),
    );
  });
  const plot = make("div", { className: "histogram num" }, ...bars);
  plot.style.setProperty("--lane", laneOf(at));
  plot.setAttribute("role", "img");
  const marks = histogram.map((n, mark) => words("tests.plot_mark", { mark: mark + 1, n }));
  plot.setAttribute("aria-label", words("tests.plot_marks", { name: label, marks }));
  const card = make(
    "section",
    { className: "card pad stack" },
    make("h3", { className: "section-title cut", textContent: label, dir: "auto" }),
    plot,
  );
  card.setAttribute("aria-label", label);
  return card;
}

const laneOf = (at) => `var(--lane-${at === undefined ? LAST_LANE : LANES[at % LANES.length]})`;
const at = (value, decimals) => (value === null ? "–" : number(value, decimals, decimals));

function rowsOfSystems(systems, letters) {
  const rated = systems.filter(({ mean }) => mean !== null).sort((one, other) => other.mean - one.mean);
  return rated.map(({ system, label, mean, low, high, by_listener: by }) => {
    return { name: label, mean, low, high, dots: Object.values(by), lane: laneOf(letters.get(system)), letter: letters.get(system) };
  });
}

function rowsOfPairs(pairs, method, label) {
  return pairs.map(({ system, other, share, share_low: shareLow, share_high: shareHigh, difference, low, high }, number) => {
    const [name, about] = [label(system), words("tests.against", { other: label(other) })];
    const figures =
      method === "cmos" ? [difference, low, high] : [share, shareLow, shareHigh].map((value) => (value === null ? null : 100 * value));
    const [mean, least, most] = figures;
    return { name, about, mean, low: least, high: most, dots: [], lane: laneOf(number), letter: number };
  });
}

function rowOf({ name, about = "", mean, low, high, dots, lane, letter }, [least, most], decimals) {
  const share = (value) => `${Math.min(100, Math.max(0, (100 * (value - least)) / (most - least)))}%`;
  const track = make("span", { className: "ci-track" });
  const place = (className, style) => {
    const mark = make("i", { className });
    Object.assign(mark.style, style);
    track.append(mark);
  };
  for (const [i, dot] of dots.entries()) place("dot", { left: share(dot), top: `${22 + 56 * ((i * SPREAD) % 1)}%` });
  if (low !== null && high !== null) place("range", { left: share(low), right: `calc(100% - ${share(high)})` });
  if (mean !== null) place(`mean${letter % 2 ? "" : " round"}`, { left: share(mean) });
  const title = make(
    "span",
    { className: "ci-name" },
    make("span", { className: "strong cut", dir: "auto", textContent: name, title: name }),
  );
  if (about) title.append(make("small", { className: "soft cut", textContent: about }));
  const row = make("div", { className: "ci" }, title, track, make("b", { className: "num", textContent: at(mean, decimals) }));
  row.style.setProperty("--lane", lane);
  return row;
}

function axisOf([least, most, step]) {
  const axis = make("span", { className: "ci-axis num" });
  for (let mark = least; mark <= most; mark += step) {
    const tick = make("span", { textContent: number(mark) });
    tick.style.left = `${(100 * (mark - least)) / (most - least)}%`;
    axis.append(tick);
  }
  return make("div", { className: "ci ci-marks" }, make("span"), axis, make("span"));
}

function beatsCell(pairs, row, column, isShare) {
  if (row === column) return make("td", { className: "beats-self" });
  const own = pairs.find(({ system, other }) => system === row && other === column);
  const turned = pairs.find(({ system, other }) => system === column && other === row);
  const pair = own ?? turned;
  if (!pair) return make("td", { className: "beats-self" });
  if (isShare)
    return shadedCell(
      words("tests.percent", { n: number(100 * (own ? pair.share : 1 - pair.share), 0, 0) }),
      own ? pair.share : 1 - pair.share,
    );
  const points = own ? pair.difference : -pair.difference;
  return shadedCell(`${points > 0 ? "+" : ""}${number(points, 0, 1)}`, points > 0 ? 0.8 : 0.2);
}

function shadedCell(textContent, share) {
  const cell = make("td", { textContent });
  cell.style.setProperty("--share", `${Math.round(4 + 32 * share)}%`);
  return cell;
}

function cardOf(title, about, drawn) {
  const heading = make("h3", { className: "section-title", textContent: words(title) });
  const head = make(
    "div",
    { className: "beside wraps plot-title" },
    heading,
    make("span", { className: "note", textContent: words(about) }),
  );
  return make("section", { className: "card pad-big stack" }, head, drawn);
}
