// What can be done with a lane of Compare, as a menu; and its sound as a file.

import { saveFile } from "../kit/frame.js";
import { wavOf } from "../sound/wav.js";
import { words } from "../words/words.js";
import { LETTERS } from "./compare_row.js";

const MOST_LABEL_CHARACTERS = 120; // of studio/listening/plan/plan.py
const MOST_SEED = 2 ** 31 - 1;

/** Items for `openMenu`. isBusy: lanes are spoken. isLast: no lane can be taken away. acts: {edit, again, vary, star, remove}. */
export function laneItems(lane, { isBusy, isLast }, acts) {
  const { isHeard, facts, isStarred, seed } = lane;
  const isKept = Boolean(isHeard && facts.kept);
  const item = (key, icon, act, more = {}) => ({ key, icon, words: words(`compare.act_${key}`), act, ...more });
  const note = isHeard && !isKept ? words("compare.not_kept") : "";
  return [
    item("edit", "sliders", acts.edit, { isDisabled: isBusy }),
    item("again", "repeat", acts.again, { isDisabled: isBusy }),
    item("vary", "dice", acts.vary, { isDisabled: isBusy || !seed }),
    null,
    item(isStarred ? "unstar" : "star", "star", acts.star, { isDisabled: !isKept, note }),
    item("download", "download", () => download(lane), { isDisabled: !isHeard, note: "WAV" }),
    item("remove", "trash", acts.remove, { isDisabled: isBusy || isLast, isDangerous: true }),
  ];
}

/** The options of a lane with another variation. */
export function varied({ seed, options }) {
  const [low, high] = [seed.minimum ?? 0, Math.min(seed.maximum ?? MOST_SEED, MOST_SEED)];
  return { ...options, [seed.name]: low + Math.floor(Math.random() * (high - low + 1)) };
}

/** A blind test of these lanes, as studio/listening/plan/plan.py has it: which of two is preferred, of every pair. */
export function planOf(lanes, text) {
  const languages = new Set(lanes.map(({ language }) => language));
  const systems = lanes.map(({ voice, engine, options: { seed, ...options }, name }, at) => ({
    id: LETTERS[at].toLowerCase(),
    label: name.slice(0, MOST_LABEL_CHARACTERS),
    source: "speech",
    voice,
    engine,
    ...(seed === undefined ? {} : { seed }),
    options,
  }));
  const language = languages.size === 1 ? [...languages][0] : "";
  return { name: words("compare.test_name"), method: "ab", systems, texts: [text], ...(language && { language }) };
}

function download({ pieces, sampleRate, name }) {
  saveFile(wavOf(pieces, sampleRate), `${name.replace(/[^\p{L}\p{N}]+/gu, "-")}.wav`);
}
