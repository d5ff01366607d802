// The sentence about an engine: how it is, how large, where, and what it is at.

import { bytes, seconds, words } from "./words.js";

const MEASURED_SECONDS = 3; // before a download's pace is told
const began = new Map(); // of each download that runs: when it was seen first, and its bytes then

// [state, what else there is to say].
export function engineWords(card) {
  const { id, standing, weights } = card;
  if (standing !== "arriving") began.delete(id);
  const said = {
    ready: () => [placeWords(card), ...busyWords(card)],
    idle: () => [sizeWords(card), card.load_seconds ? words("engines.loads_in", { time: card.load_seconds }) : words("engines.loads")],
    loading: () => [sizeWords(card)],
    arriving: () => [arrivedWords(weights), paceWords(id, weights)],
    paused: () => [arrivedWords(weights)],
    absent: () => [absentWords(card)],
  }[standing];
  const rest = said ? said() : [card.reason];
  return [words(`engines.state_${standing}`), rest.filter(Boolean).join(" ")];
}

function placeWords({ memory_bytes: size, device }) {
  return size ? words("engines.size_on", { size, device }) : words("engines.on", { device });
}

function busyWords({ streaming, waiting }) {
  return [streaming && words("engines.serving", { n: streaming }), waiting && words("engines.waiting", { n: waiting })];
}

const sizeWords = ({ facts }) => (facts.weights_bytes ? words("engines.size_is", { size: facts.weights_bytes }) : "");

function absentWords({ wants_gpu, weights: { all_bytes: size } }) {
  if (!size) return wants_gpu ? words("engines.wants_gpu") : "";
  return words(wants_gpu ? "engines.size_wants_gpu" : "engines.size_is", { size });
}

function arrivedWords({ done_bytes: done, all_bytes: all }) {
  return all ? words("engines.arrived_of", { done, all }) : words("engines.size_is", { size: done });
}

// By what arrived since it was seen first.
function paceWords(id, { done_bytes: done, all_bytes: all }) {
  const now = performance.now() / 1000;
  if (!began.has(id)) began.set(id, { at: now, done });
  const first = began.get(id);
  const passed = now - first.at;
  const pace = (done - first.done) / passed;
  if (passed < MEASURED_SECONDS || pace < 1) return "";
  if (!all) return words("engines.pace", { pace: bytes(pace) });
  const left = (all - done) / pace;
  return words("engines.pace_left", { pace: bytes(pace), left: seconds(left < 60 ? Math.ceil(left) : 60 * Math.ceil(left / 60)) });
}
