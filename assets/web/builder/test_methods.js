// What there is to ask listeners, and what each kind of question needs.

import { words } from "../words/words.js";

export const METHODS_ASKED = ["abx", "ab", "mos", "smos", "mushra", "cmos"]; // as cards; mushra-like is a choice inside of mushra
export const MORE_METHODS = ["dcr", "ccr", "p835", "bs1116"]; // as cards that are folded away
export const LIKE = "mushra-like";
const PAIRS = new Set(["abx", "ab", "cmos"]);
const REFERRED = new Set(["ccr", "bs1116"]);
const SAME_TEXT = ["files", "system"];
const REFERENCES = { smos: ["recording", "files"], mushra: SAME_TEXT, dcr: SAME_TEXT, ccr: SAME_TEXT, bs1116: SAME_TEXT }; // the usual one first
const ANCHORS = {
  mos: ["recording", "embedded"],
  smos: ["recording", "other-voice"],
  p835: ["recording", "embedded"],
  dcr: ["lowpass-3.5", "lowpass-7"],
  mushra: ["lowpass-3.5", "lowpass-7", "other-voice", "embedded"],
  [LIKE]: ["recording", "other-voice", "embedded"],
};
const USUAL_ANCHORS = { mushra: ["lowpass-3.5", "lowpass-7"] }; // BS.1534-3, 5.1
const LEAST_QUESTIONS = 16; // of an ABX test, or it finds little

/** A method's part of a key. */
export const keyOfMethod = (method) => method.replace("-", "_");
export const questionOf = (method) => words(`tests.ask_${keyOfMethod(method)}`);
export const isPaired = (method) => PAIRS.has(method);
/** Whether results are of two at a time: of two systems, or of one and the reference. */
export const isCompared = (method) => isPaired(method) || REFERRED.has(method);
/** Whether somebody may ask something of their own in its place. */
export const takesScales = (method) => ["mos", "smos", "dcr"].includes(method);
/** Whether webMUSHRA's results have a form for it. */
export const isOfWebmushra = (method) => !["cmos", "p835"].includes(method) && !REFERRED.has(method);
export const referencesOf = (method) => REFERENCES[method] ?? [];
export const anchorsOf = (method) => ANCHORS[method] ?? [];
export const usualAnchors = (method) => USUAL_ANCHORS[method] ?? [];

const pairsOf = (n) => (n * (n - 1)) / 2;

/** How many questions one listener is asked: of pairs, of single sounds, or pages. */
export function questionsOf({ method, systems, texts, repeats, anchors, reference, questions_per_listener: most = null }) {
  const asked = texts.length * repeats;
  const isSystem = method !== "smos" && referencesOf(method).includes("system") && reference?.source === "system";
  const ratings = method.startsWith("mushra") ? 1 : systems.length + anchors.length - (isSystem && reference.system ? 1 : 0);
  return Math.min(most ?? Infinity, asked * (isPaired(method) ? pairsOf(systems.length) : ratings));
}

/** How often each text is asked where nobody says: of ABX so often that there are 16 questions. */
export function usualRepeats({ method, systems, texts }) {
  const once = texts.length * pairsOf(systems.length);
  return method === "abx" && once ? Math.max(1, Math.ceil(LEAST_QUESTIONS / once)) : 1;
}

const CROWD = 20; // listeners, above which nobody knows them all (ITU-T P.808 asks crowds about gold and traps)

/** How many gold sounds and traps a panel of that size is asked about. */
export const usualAttention = ({ listeners }) => (listeners > CROWD ? { gold: 2, traps: 1 } : { gold: 0, traps: 0 });
