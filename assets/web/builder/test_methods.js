// What there is to ask listeners: seven methods, six questions, and what each needs.

import { words } from "../words/words.js";

export const METHODS_ASKED = ["abx", "ab", "mos", "smos", "mushra", "cmos"]; // as cards; mushra-like is a choice inside of mushra
export const LIKE = "mushra-like";
const PAIRS = new Set(["abx", "ab", "cmos"]);
const REFERENCES = { smos: ["recording", "files"], mushra: ["files", "system"] }; // by method, the usual one first
const ANCHORS = {
  mos: ["recording", "embedded"],
  smos: ["recording", "other-voice"],
  mushra: ["lowpass-3.5", "lowpass-7", "other-voice", "embedded"],
  [LIKE]: ["recording", "other-voice", "embedded"],
};
const USUAL_ANCHORS = { mushra: ["lowpass-3.5", "lowpass-7"] }; // BS.1534-3, 5.1
const LEAST_QUESTIONS = 16; // of an ABX test, or it finds little
const PRESENT = { abx: "abx", ab: "ab", cmos: "cmos", mos: "mos", smos: "smos", mushra: "mushra", [LIKE]: "mushra_like" };

/** A method's part of a key. */
export const keyOfMethod = (method) => PRESENT[method];
export const questionOf = (method) => words(`tests.ask_${PRESENT[method]}`);
export const isPaired = (method) => PAIRS.has(method);
export const referencesOf = (method) => REFERENCES[method] ?? [];
export const anchorsOf = (method) => ANCHORS[method] ?? [];
export const usualAnchors = (method) => USUAL_ANCHORS[method] ?? [];

const pairsOf = (n) => (n * (n - 1)) / 2;

/** How many questions one listener is asked: of pairs, of single sounds, or pages. */
export function questionsOf({ method, systems, texts, repeats, anchors, questions_per_listener: most = null }) {
  const asked = texts.length * repeats;
  const ratings = method.startsWith("mushra") ? 1 : systems.length + anchors.length;
  return Math.min(most ?? Infinity, asked * (isPaired(method) ? pairsOf(systems.length) : ratings));
}

/** How often each text is asked where nobody says: of ABX so often that there are 16 questions. */
export function usualRepeats({ method, systems, texts }) {
  const once = texts.length * pairsOf(systems.length);
  return method === "abx" && once ? Math.max(1, Math.ceil(LEAST_QUESTIONS / once)) : 1;
}
