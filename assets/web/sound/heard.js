// The time to first sound of a take, one figure wherever it is told: from the press to the first sample at the device, as this page measured it
// or another did before. Where no page did, the server's share is all that is known, and is called so.

import { milliseconds, words } from "../words/words.js";

const MOST = 200; // takes of which this page remembers it, until the studio has it
const measured = new Map(); // milliseconds, by the id of the take's entry in the history

/** This page measured it. id: "" where the take is not kept. */
export function noteHeard(id, time) {
  if (!id || time === null || measured.has(id)) return;
  measured.set(id, time);
  if (measured.size > MOST) measured.delete(measured.keys().next().value);
}

/** The take of the history, with what this page measured. */
export const withHeard = (entry) => ({ ...entry, heard_ms: measured.get(entry.id) ?? entry.heard_ms });

/** [{entry, seconds}]: of these takes, what this page measured and the studio does not know. */
export const untold = (entries) =>
  entries
    .filter(({ id, heard_ms: known }) => known === null && measured.has(id))
    .map(({ id }) => ({ entry: id, seconds: measured.get(id) / 1000 }));

/** Such as "108 ms", or "17 ms at the server"; "" where neither is known. A figure that is null is not known. */
export function firstSoundWords({ heard_ms: heard, server_ms: server }) {
  if (heard !== null) return milliseconds(heard);
  return server === null ? "" : words("figures.at_the_server", { time: milliseconds(server) });
}

/** The server's share of what a page measured, such as "17 ms of it at the server"; "" where that is not known. */
export function serverShareWords({ heard_ms: heard, server_ms: server }) {
  return heard === null || server === null ? "" : words("figures.of_it_at_the_server", { time: milliseconds(server) });
}
