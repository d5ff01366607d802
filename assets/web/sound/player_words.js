// What the player says of a session: whose voice, how long, how fast it came, and how it stands.

import { milliseconds, seconds, words } from "../words/words.js";
import { farOf, kindOf } from "./stages.js";

const BETWEEN = " · ";
const MILLISECONDS = 1000;

/** Such as 0:02.1. */
export const clock = (at) => `${Math.floor(at / 60)}:${(at % 60).toFixed(1).padStart(4, "0")}`;

/** "2.1 of 5.6 seconds". */
export const positionOf = (at, of) => words("player.at", { at: at.toFixed(1), of: of.toFixed(1) });

export const nameOf = ({ about, label }) => about?.voice || label;

/** "Embedded · 5.6 s". */
export function lineOf({ about, seconds: heard }) {
  return [about?.engineTitle, heard ? seconds(heard) : ""].filter(Boolean).join(BETWEEN);
}

/** "Embedded · warm, 34 ms · no gaps", as far as it was measured; that of a recording is its length. */
export function figuresOf(session) {
  const { about, facts, firstSoundMilliseconds: sound, samples, complete, seconds: heard } = session;
  if (!facts) return lineOf(session);
  const parts = [about?.engineTitle];
  if (sound !== null) parts.push(words(`player.${kindOf(facts)}`, { time: milliseconds(sound) }));
  if (samples) parts.push(gapsOf(session));
  if (samples && !complete) parts.push(words("player.arriving", { seconds: heard }));
  return parts.filter(Boolean).join(BETWEEN);
}

/** The same in engineers' words, for who points at it. */
export function detailsOf({ facts, firstSoundMilliseconds: sound, sampleRate, underruns }) {
  if (!facts) return "";
  const [ttfp, click] = [facts.ttfpMilliseconds, sound].map((time) => (time === null ? "–" : milliseconds(time)));
  const far = farOf(facts);
  const said = words("player.details", { ttfp, click, underruns, rate: sampleRate });
  return far === null ? said : said + words("figures.comma") + words("player.details_far", { far: milliseconds(far) });
}

/** What a screen reader says as it changes.
 *  @type {(state: string, session: { label?: string, failure?: any, seconds?: number, heardSeconds?: number, head?: number }) => string} */
export function statusOf(state, { label, failure, seconds: heard, heardSeconds, head }) {
  const said = {
    waiting: "player.waiting",
    playing: failure ? "player.broken" : "player.playing",
    paused: "player.paused",
    ended: "player.ended",
    stopped: "player.stopped",
    failed: heard ? "player.failed" : "player.nothing",
  }[state];
  const at = { paused: head, stopped: heardSeconds ?? 0 }[state] ?? heard;
  return said ? words(said, { name: label, seconds: at }) : "";
}

function gapsOf({ underruns: n, gapSeconds }) {
  return n ? words("player.gaps", { n, time: milliseconds(gapSeconds * MILLISECONDS) }) : words("player.no_gaps");
}
