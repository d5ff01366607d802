// Takes: things that were spoken, each a row with play, text, who said it and how soon, and a menu. On Speak the last few, in History all.
import { choice } from "../choice/choice.js";
import { icon } from "../drawings/icons.js";
import { printOf } from "../drawings/voiceprint.js";
import { linkItem } from "../kit/clipboard.js";
import { openCompare } from "../kit/compare_open.js";
import { make } from "../kit/frame.js";
import { redraw } from "../kit/library.js";
import { openMenu } from "../kit/menu.js";
import { TakeParts } from "../parts/take_parts.js";
import { firstSoundWords, serverShareWords } from "../sound/heard.js";
import { takeWordsPath } from "../sound/karaoke.js";
import { listen } from "../sound/listening.js";
import { player } from "../sound/player.js";
import { apart, language, seconds, words } from "../words/words.js";
import { deleteTakes } from "./deleting.js";

const MOST_NAMED = 40; // characters of a text in a label
const BETWEEN = " · ";
const PRINT_PIXELS = 16;
const ENDED = ["cancelled", "failed", "capped", "no_room", "looped"]; // what is said of a take that did not simply end
const when = new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "short" });

/** What a take says, in words: its text, or that it is a recording that was said again. */
export const saidBy = ({ text, source_seconds: length }) => text || words("takes.recorded", { length });

/** The same, where there is little room. */
export function takeName(take) {
  const said = saidBy(take);
  return said.length > MOST_NAMED ? `${said.slice(0, MOST_NAMED)}…` : said;
}

// A list of takes. list: its <ul>. trigger, server: the component's events and functions. place: of the notices. isLong: with when and
// variation.
export class TakeList {
  constructor({ list, trigger, server, place, isLong = false }) {
    this._list = list;
    this._trigger = trigger;
    this._server = server;
    this._place = place;
    this._isLong = isLong;
    this._takes = [];
    this._parts = new TakeParts(place);
    list.addEventListener("click", ({ target }) => this._press(target.closest("button")));
    player.addEventListener("change", () => this._follow());
  }

  // takes: { id, text, source_seconds, voice, print, engine, seconds, start, heard_ms, server_ms, ended, warning, at, starred, options, language, n_parts }; isArriving: it is
  // not kept yet.
  show(takes) {
    this._takes = takes;
    redraw(
      this._list,
      takes.map((take) => rowOf(take, this._isLong)),
    );
    for (const [at, take] of takes.entries()) this._parts.put(take, aboutOf(take), this._list.children[at]);
    this._parts.keepOnly(takes);
    this._follow();
  }

  // What is heard now can be paused where it stands.
  _follow() {
    for (const button of this._list.querySelectorAll("[data-act=hear]")) {
      const take = this._takes.find(({ id }) => id === button.dataset.key);
      if (take) showSounding(button, player.isSounding(take.id), takeName(take));
    }
    this._parts.follow();
  }

  _press(button) {
    const { key, act } = button?.dataset ?? {};
    const take = this._takes.find(({ id }) => id === key);
    if (!take) return;
    if (act === "hear") this._hear(take);
    if (act === "menu") openMenu(button, words("takes.menu", { text: takeName(take) }), this._itemsOf(take));
  }

  _hear(take) {
    const { id, voice, engine } = take;
    const label = words("takes.label", { voice, engine });
    const about = aboutOf(take);
    player.togglePlay(id, () => listen(addressOf(id), { label, key: id, about }, this._place));
  }

  _itemsOf(take) {
    const { id, starred, source_seconds: length } = take;
    const isSaid = length !== null; // what was recorded is not kept
    const note = isSaid ? words("takes.no_recording") : "";
    const again = (isOther) => ({ note, isDisabled: isSaid, act: () => this._again(take, isOther) });
    const star = () => this._trigger("act", { act: "star", entry: id, starred: !starred });
    return [
      { key: "again", icon: "repeat", words: words("takes.again"), ...again(false) },
      { key: "other", icon: "dice", words: words("takes.other"), ...again(true) },
      { key: "compare", icon: "headphones", words: words("compare.open"), note, isDisabled: isSaid, act: () => this._compare(take) },
      null,
      { key: "star", icon: "star", words: words(starred ? "takes.unstar" : "takes.star"), act: star },
      { key: "download", icon: "download", words: words("takes.download"), note: "WAV", act: () => download(take) },
      linkItem("history", id),
      { key: "delete", icon: "trash", words: words("takes.delete"), isDangerous: true, act: () => this.delete([id]) },
    ];
  }

  /** ids: of takes, which can be brought back for a while. */
  delete(ids) {
    return deleteTakes(ids, this._server, { place: this._place, onChange: () => this._trigger("look") });
  }

  // With the last other take of a text.
  _compare(take) {
    const other = this._takes.find(({ id, source_seconds: length }) => id !== take.id && length === null);
    openCompare({ text: take.text, lanes: [take, ...(other ? [other] : [])].map(laneOf) });
  }

  // isOther: another variation. The composer of Speak is filled by Python, and speaks.
  _again({ id }, isOther) {
    player.unlock(); // inside of the click
    this._trigger("again", { entry: id, other: isOther });
  }
}

// Who said a take, and how. A take knows its engine by the name that people see.
function laneOf({ voice, engine: title, options, language: spoken }) {
  const engine = choice.known.engines?.find((one) => one.title === title || one.id === title)?.id;
  return { voice, engine, options, language: spoken };
}

// As Session has it.
function aboutOf({ id, voice, engine, text, language: spoken, options, print }) {
  return { voice, engine, engineTitle: engine, text, language: spoken, options, print, wordsPath: text ? takeWordsPath(id) : "" };
}

const addressOf = (id) => `studio/history/${id}`;

function download(take) {
  const name = `${take.voice} ${takeName(take)}`.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  make("a", { href: addressOf(take.id), download: `${name}.wav` }).click();
}

function rowOf(take, isLong) {
  const key = take.id;
  const named = takeName(take);
  const play = make("button", { type: "button", className: "play small" });
  showSounding(play, player.isSounding(key), named);
  const more = make("button", { type: "button", className: "button square quiet small", title: words("takes.more") }, icon("more"));
  more.setAttribute("aria-label", words("takes.menu", { text: named }));
  more.setAttribute("aria-haspopup", "menu");
  more.setAttribute("aria-expanded", "false");
  more.disabled = Boolean(take.isArriving);
  Object.assign(play.dataset, { key, act: "hear" });
  Object.assign(more.dataset, { key, act: "menu" });
  const said = saidBy(take);
  const text = make("div", { className: isLong ? "take-text" : "take-text cut", dir: "auto", textContent: said, title: said });
  text.dataset.spoken = key; // the word under way is lit in it (karaoke.js)
  const row = make(
    "li",
    { className: "take" },
    play,
    make("div", { className: "grow" }, text, ...instructionsOf(take, isLong), factsOf(take, isLong)),
    more,
  );
  row.dataset.key = key;
  return row;
}

// What was said of how it should sound.
function instructionsOf({ options: { instructions } }, isLong) {
  if (!isLong || !instructions) return [];
  const said = words("takes.instructed", { instructions });
  return [make("div", { className: "take-said cut", dir: "auto", textContent: said, title: said })];
}

function showSounding(button, isSounding, named) {
  const state = isSounding ? "playing" : "silent";
  if (button.dataset.state === state) return;
  button.dataset.state = state;
  button.classList.toggle("strong", isSounding);
  button.replaceChildren(icon(isSounding ? "pause" : "play", 16));
  button.setAttribute("aria-label", words(isSounding ? "takes.pause" : "takes.play", { text: named }));
}

function factsOf(take, isLong) {
  const { voice, print, engine, start, ended, warning, starred } = take;
  const who = [apart(voice), ...(isLong ? [engine] : [])].join(BETWEEN);
  const length = make("span", { className: "take-length", textContent: BETWEEN + seconds(take.seconds) });
  const facts = [""];
  const [firstSound, share] = [firstSoundWords(take), serverShareWords(take)];
  if (firstSound) facts.push(words(`takes.${start}`, { time: firstSound }));
  if (isLong && share) facts.push(share);
  if (isLong && take.options.seed !== undefined) facts.push(words("takes.variation", { seed: String(take.options.seed) }));
  if (isLong) facts.push(when.format(take.at * 1000));
  const line = make("div", { className: "take-sub" });
  if (print) line.append(printOf(print, PRINT_PIXELS));
  if (starred) {
    const sign = icon("star", 14);
    sign.classList.add("solid");
    line.append(sign, make("span", { className: "visually-hidden", textContent: words("takes.starred") }));
  }
  line.append(make("span", { className: "num", title: isLong ? "" : share }, who, length, facts.join(BETWEEN)));
  if (ENDED.includes(ended)) line.append(make("span", { className: "take-end", textContent: words(`takes.${ended}`), title: warning }));
  return line;
}
