// The sentence about an engine: how it is, how large, where, and what it is at.

import { bytes, seconds, words } from "../words/words.js";
import { Pace } from "./pace.js";

const paces = new Map(); // of the downloads that run, by engine

// [state, what else there is to say].
export function engineWords(card) {
  const { id, standing, weights } = card;
  if (standing !== "arriving") paces.delete(id);
  const said = {
    ready: () => [placeWords(card), ...busyWords(card)],
    idle: () => [sizeWords(card), card.load_seconds ? words("engines.loads_in", { time: card.load_seconds }) : words("engines.loads")],
    loading: () => [sizeWords(card)],
    arriving: () => [arrivedWords(weights), paceWords(id, weights)],
    paused: () => [arrivedWords(weights)],
    absent: () => [],
    connected: () => [hostsWords(card), ...busyWords(card)],
    degraded: () => [hostsWords(card), card.elsewhere.reason, ...busyWords(card)],
    down: () => [hostsWords(card), card.elsewhere.reason],
    apart: () => [hostsWords(card), words("engines.connects")],
    connecting: () => [hostsWords(card)],
  }[standing];
  const rest = said ? said() : [card.reason];
  return [words(`engines.state_${standing}`), rest.filter(Boolean).join(" ")];
}

function placeWords({ memory_bytes: size, device }) {
  return size ? words("engines.size_on", { size, device }) : words("engines.on", { device });
}

// Of an engine that works elsewhere.
function hostsWords({ elsewhere: { hosts } }) {
  return hosts.length ? words("engines.at", { hosts }) : words("engines.in_the_cluster");
}

function busyWords({ streaming, waiting }) {
  return [streaming && words("engines.serving", { n: streaming }), waiting && words("engines.waiting", { n: waiting })];
}

const sizeWords = ({ facts }) => (facts.weights_bytes ? words("engines.size_is", { size: facts.weights_bytes }) : "");

function arrivedWords({ done_bytes: done, all_bytes: all }) {
  return all ? words("engines.arrived_of", { done, all }) : words("engines.size_is", { size: done });
}

function paceWords(id, { done_bytes: done, all_bytes: all }) {
  if (!paces.has(id)) paces.set(id, new Pace());
  const known = paces.get(id).at(performance.now() / 1000, done, all);
  if (!known) return "";
  const pace = bytes(known.pace);
  return known.left === null ? words("engines.pace", { pace }) : words("engines.pace_left", { pace, left: seconds(known.left) });
}
