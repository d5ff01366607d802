// Times of slots, as people write them and as the API has them; and how a line fits its slot. Pure.

import { number, seconds, words } from "../words/words.js";

/** "1:02.35", "1:00:02.35" */
export function timeOf(at) {
  const thousandths = Math.round(at * 1000);
  const [hours, minutes] = [Math.floor(thousandths / 3_600_000), Math.floor((thousandths % 3_600_000) / 60_000)];
  const rest = ((thousandths % 60_000) / 1000).toFixed(3).replace(/0{1,2}$/, "");
  const tail = `${hours ? String(minutes).padStart(2, "0") : minutes}:${rest.padStart(rest.split(".")[1].length + 3, "0")}`;
  return hours ? `${hours}:${tail}` : tail;
}

const TIME = /^(?:(?:(\d+):)?(\d{1,3}):)?(\d+(?:[.,]\d{1,3})?)$/;

/** Seconds of "62.35", "1:02.35", "1:02,35" or "0:01:02.350"; null of anything else. */
export function timeTyped(typed) {
  const found = TIME.exec(typed.trim());
  if (!found) return null;
  const [, hours = "0", minutes = "0", rest] = found;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest.replace(",", "."));
  return Math.round(whole * 1000) / 1000;
}

/** How the line fits its slot, "" where it has none, or where nobody knows yet. */
export function slotWords({ slot, fitting }) {
  if (!slot) return "";
  const room = words("scripts.settings_slot", { length: seconds(slot.end - slot.start) });
  if (!fitting) return room;
  const { kind, speed, over_seconds: over } = fitting;
  const said = { over: { over: seconds(over ?? 0) }, speed: { speed: number(speed ?? 1, 2, 2) } }[kind] ?? {};
  return `${room} ${words(`scripts.settings_fit_${kind}`, said)}`;
}
