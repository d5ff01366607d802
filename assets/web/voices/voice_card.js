// A voice as it is drawn in the library: as a card, or as a line of the list. What people wrote is set as text.

import { languageName } from "../choice/language.js";
import { icon } from "../drawings/icons.js";
import { chip } from "../drawings/states.js";
import { printOf } from "../drawings/voiceprint.js";
import { make } from "../kit/frame.js";
import { apart, language, seconds, words } from "../words/words.js";
import { knownOf } from "./voice_chips.js";

const MOST_CHIPS = 4;
const ON_CARD_PIXELS = 56;
const IN_LIST_PIXELS = 28;
const SIGN_PIXELS = 12;
const IN_ORDER = ["memory", "refining", "disk"];
const LIMITS = ["clip_too_short", "clip_too_long", "transcript_required"]; // why an engine cannot use a voice, where that is one word

/** The name of an engine where there is little room: without what stands in parentheses. */
const shortTitle = (title) => title.split(" (")[0];

/** One word for how an engine stands to a voice. */
export function stateWord({ state, code, can_learn: canLearn }) {
  if (state === "unsupported" && LIMITS.includes(code)) return words(`voices.limit_${code}`);
  return words(state === "none" && !canLearn ? "voices.not_installed" : `voices.state_${state}`);
}

/** A card of the library. isSounding: its recording is heard now. */
export function cardOf(voice, isSounding) {
  const { name } = voice;
  const title = make("h3", {
    className: "cut",
    dir: "auto",
    textContent: name,
    title: [name, voice.description].filter(Boolean).join("\n"),
  });
  const facts = make("span", { className: "note cut", textContent: joined([languageOf(voice), lengthOf(voice)]) });
  const about = make("span", { className: "note", dir: "auto", textContent: joined([permissionOf(voice), ...voice.tags]) });
  about.classList.toggle("cut", !voice.made_by); // which engine made it is to be read
  about.title = `${permissionOf(voice)}\n${voice.permission_facts}`; // there is little room
  const ends = make("div", { className: "voice-acts" }, ...actsOf(name));
  const top = make("div", { className: "voice-top" }, playOf(voice, isSounding), make("div", {}, title, facts, about), ends);
  const card = make("li", { className: "card voice" }, top, make("div", { className: "voice-chips" }, ...chipsOf(voice)));
  card.dataset.voice = name;
  return card;
}

/** A line of the list. */
export function listLineOf(voice, isSounding) {
  const { name } = voice;
  const said = [make("span", { className: "strong", dir: "auto", textContent: name })];
  if (voice.description) said.push(make("span", { className: "note", dir: "auto", textContent: voice.description }));
  const head = make("th", { scope: "row" }, make("span", { className: "voice-name" }, ...said));
  const permission = make("span", { textContent: permissionOf(voice), title: voice.permission_facts });
  const row = make(
    "tr",
    {},
    cell("", playOf(voice, isSounding, IN_LIST_PIXELS)),
    head,
    cell(words("voices.column_tags"), voice.tags.map(apart).join(", ") || "–"),
    cell(words("voices.column_language"), languageOf(voice) || "–"),
    cell(words("voices.column_length"), lengthOf(voice)),
    cell(words("voices.column_engines"), make("span", { className: "voice-chips" }, ...chipsOf(voice))),
    cell(words("voices.column_permission"), permission),
    cell("", make("div", { className: "voice-acts" }, ...actsOf(name))),
  );
  row.dataset.voice = name;
  return row;
}

/** Makes the print of a voice say whether its recording is heard now. */
export function showSounding(button, isSounding) {
  const state = isSounding ? "playing" : "silent";
  if (button.dataset.state === state) return;
  button.dataset.state = state;
  button.lastElementChild.replaceChildren(icon(isSounding ? "pause" : "play", SIGN_PIXELS));
  const label = words(isSounding ? "voices.pause" : "voices.play", { name: button.dataset.key });
  button.setAttribute("aria-label", label);
  button.title = label;
}

// The print is the button that plays; of a voice that is no recording there is nothing to play.
function playOf({ name, print, kind }, isSounding, pixels = ON_CARD_PIXELS) {
  if (kind) return make("span", { className: "voice-print" }, printOf(print, pixels));
  const button = make("button", { type: "button", className: "voice-play" }, printOf(print, pixels), make("span"));
  Object.assign(button.dataset, { key: name, act: "hear" });
  showSounding(button, isSounding);
  return button;
}

function actsOf(name) {
  const speak = make("button", { type: "button", className: "button small", textContent: words("voices.speak") });
  speak.setAttribute("aria-label", words("voices.speak_with", { name }));
  const label = words("voices.acts", { name });
  const more = make("button", { type: "button", className: "button square quiet small", title: label }, icon("more"));
  more.setAttribute("aria-label", label);
  more.setAttribute("aria-haspopup", "menu");
  more.setAttribute("aria-expanded", "false");
  Object.assign(speak.dataset, { key: name, act: "speak" });
  Object.assign(more.dataset, { key: name, act: "menu" });
  return [speak, more];
}

// A cell with its column's name beside it on phones, where it is left out if it says "–". part: a node, or a string, which becomes text.
function cell(name, part) {
  const element = make("td", {}, part);
  element.dataset.name = name;
  element.dataset.empty = String(element.textContent === "–");
  return element;
}

const languageOf = ({ language }) => (language ? languageName(language) : "");
const lengthOf = ({ kind, seconds: length }) => (kind ? words(`voices.of_${kind}`) : seconds(length));
// Of a consent that was recorded when, and whether a transcriber heard it.
function permissionOf({ permission, consent, made_by: engine }) {
  if (!consent) return words(`voices.permission_${permission}`, { engine });
  const date = new Date(consent.at).toLocaleDateString(language, { dateStyle: "medium" });
  return words(`voices.permission_recorded_${consent.words}`, { date });
}

const joined = (parts) => parts.filter(Boolean).map(apart).join(" · ");

// By name alone where all is in order.
function chipsOf({ engines, obstacle }) {
  if (obstacle) return [told(chip("failed", words("voices.obstacle")), obstacle)];
  const known = knownOf(engines);
  const isLearned = known.some(({ state }) => state !== "unsupported");
  const chips = [...(isLearned ? [] : [chip("none", words("voices.unlearned"))]), ...known.map(engineChip)];
  if (chips.length <= MOST_CHIPS) return chips;
  const rest = chips.slice(MOST_CHIPS).map((one) => one.title);
  const more = make("span", { className: "chip plain" }, make("span", { textContent: words("voices.more_engines", { n: rest.length }) }));
  return [...chips.slice(0, MOST_CHIPS), told(more, rest.join("\n"))];
}

function engineChip(standing) {
  const { title, state, reason } = standing;
  const [engine, word] = [shortTitle(title), stateWord(standing)];
  const isInOrder = IN_ORDER.includes(state);
  const element = chip(state, isInOrder ? engine : words("voices.engine_state", { engine, state: word }));
  return told(
    element,
    [words("voices.engine_state", { engine: title, state: word }), reason].filter(Boolean).join(". "),
    isInOrder ? word : reason,
  );
}

// A chip with more about it for whoever points at it, and the same, or `spoken`, for whoever listens.
function told(element, more, spoken = more) {
  element.title = more;
  if (spoken) element.append(make("span", { className: "visually-hidden", textContent: ` ${spoken}` }));
  return element;
}
