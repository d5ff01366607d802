// What each kind of listening test asks: its question, its answers, and the keys that give them. Pure.

const score = (value, word) => ({ value, word, key: String(value) });
const MOS = ["bad", "poor", "fair", "good", "excellent"].map((word, index) => score(index + 1, word));
const SMOS = ["surely_other", "perhaps_other", "unsure", "perhaps_same", "surely_same"].map((word, index) => score(index + 1, word));
const DCR = ["very_annoying", "annoying", "slightly_annoying", "not_annoying", "inaudible"].map((word, index) => score(index + 1, word));
const P835 = {
  signal: ["very_distorted", "fairly_distorted", "somewhat_distorted", "slightly_distorted", "not_distorted"],
  background: ["very_intrusive", "somewhat_intrusive", "noticeable", "slightly_noticeable", "not_noticeable"],
  overall: MOS.map(({ word }) => word),
}; // ITU-T P.835
const CMOS_WORDS = ["much_worse", "worse", "slightly_worse", "as_good", "slightly_better", "better", "much_better"];
const CMOS = CMOS_WORDS.map((word, index) => score(index - 3, word));
const ABX = [
  { value: "A", word: "x_is_a", key: "1" },
  { value: "B", word: "x_is_b", key: "2" },
];
const PREFERENCE = [
  { value: "A", word: "a_is_better", key: "1" },
  { value: "B", word: "b_is_better", key: "2" },
];
const WITH_NONE = [PREFERENCE[0], { value: "none", word: "no_difference", key: "2" }, { ...PREFERENCE[1], key: "3" }];
const PAD_ORDER = ["R", "A", "X", "B", "C"];

/** Whether sounds are judged side by side on faders. */
export const hasFaders = (method) => method === "mushra" || method === "mushra-like" || method === "bs1116";

/** {value, word, key} of each answer, the least first; `word` is a key of the page's words. Empty where faders answer. */
export function answersOf(method, hasNone) {
  const answers = { abx: ABX, ab: hasNone ? WITH_NONE : PREFERENCE, cmos: CMOS, ccr: CMOS, mos: MOS, smos: SMOS, dcr: DCR };
  return answers[method] ?? [];
}

/**
 * What is asked about a sound beside each other: {id, question, points}, a point {value, said}. say: words by a key of the page. Of a scale
 * with words for its ends alone the points between are said by their numbers.
 */
export function scalesOf({ method, scales }, own, say) {
  return scales.map((id) => {
    if (method === "p835")
      return { id, question: say(`p835_${id}`), points: P835[id].map((word, index) => ({ value: index + 1, said: say(word) })) };
    const { question, labels, points: n } = own.find((scale) => scale.id === id);
    const ends = { 1: labels[0], [n]: labels.at(-1) };
    const numbered = (value) => (value in ends ? say("scale_point", { n: value, word: ends[value] }) : String(value));
    const values = Array.from({ length: n }, (_, index) => index + 1);
    return { id, question, points: values.map((value) => ({ value, said: labels.length === n ? labels[value - 1] : numbered(value) })) };
  });
}

/** The slots in the order of their pads: what they are compared with first, and X between A and B. */
export function padsOf(slots) {
  const place = ({ label }) => (PAD_ORDER.includes(label) ? PAD_ORDER.indexOf(label) : PAD_ORDER.length + Number(label));
  return [...slots].sort((one, other) => place(one) - place(other));
}

/** The five words of a scale of 0 to 100, the best first, and which of them a score is called by (ITU-R BS.1534-3, 5.4). */
export const SCALE = MOS.map(({ word }) => word).reverse();
export const scaleWord = (value) => SCALE[Math.min(4, 4 - Math.floor(Math.min(value, 99) / 20))];

const GRADES = ["imperceptible", "perceptible", "slightly_annoying", "annoying", "very_annoying"]; // 5.0 to 1.0 (ITU-R BS.1116-3, table 3)
/** What faders of a method go over: words the best first, which belong to points of it or to the fifths between. */
export const faderScaleOf = (method) =>
  method === "bs1116"
    ? { least: 1, most: 5, step: 0.1, decimals: 1, words: GRADES, isOfPoints: true, wordOf: (value) => GRADES[Math.round(5 - value)] }
    : { least: 0, most: 100, step: 1, decimals: 0, words: SCALE, isOfPoints: false, wordOf: scaleWord };

/**
 * Which key of a sequence is meant: keys pressed soon after one another make a number of two digits, or one below nought.
 * typed: { text, at } of before, or null. Returns { text, at } of now, whose text is what is meant.
 */
export function typedNow(typed, key, at, known) {
  const together = typed && at - typed.at < TOGETHER_SECONDS ? typed.text + key : key;
  return { text: known.includes(together) ? together : key, at };
}
const TOGETHER_SECONDS = 0.8;
