// Where a system stands among the others of a test, in words. Pure.

import { words } from "../words/words.js";

const ANCHORS = new Set(["lowpass-3.5", "lowpass-7", "other-voice", "embedded", "gold"]);
const MID_ANCHOR = "lowpass-7"; // may well lie between systems

/** As the rules of ties have it. one: {role, rank, mean} among `all`; "" where there is nothing to say. */
export function placeWords(one, all) {
  const { role, rank, mean } = one;
  if (role === "reference") {
    const best = Math.max(...all.map((other) => other.mean ?? 0));
    return words(mean >= best ? "tests.place_reference" : "tests.place_reference_missed");
  }
  if (ANCHORS.has(role)) return anchorWords(one, all);
  if (rank === null) return "";
  const shares = all.filter((other) => other.rank === rank).length > 1;
  const first = shares ? "tests.place_first_shared" : "tests.place_first";
  return rank === 1 ? words(first) : words(shares ? "tests.place_shared" : "tests.place", { rank });
}

// The lowest where nothing else is as low, the reference and other anchors included; not that, where something that is no anchor is as low.
function anchorWords(one, all) {
  const asLow = all.filter((other) => other !== one && (other.mean ?? Number.POSITIVE_INFINITY) <= one.mean);
  if (!asLow.length) return words("tests.place_anchor");
  const isHigh = one.role !== MID_ANCHOR && asLow.some(({ role }) => !ANCHORS.has(role));
  return isHigh ? words("tests.place_anchor_high") : "";
}
