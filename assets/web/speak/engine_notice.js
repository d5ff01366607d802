// What is said below the composer while the chosen engine cannot speak: at once, before anybody presses Speak; and what can be done about it.

import { choice } from "../choice/choice.js";
import { getEngine } from "../engines/engine_get.js";
import { say } from "../kit/notices.js";
import { bytes, words } from "../words/words.js";

const LINE = "speak-message";
const ABLE = ["ready", "idle", "loading"];
let told = ""; // of which engine, in which state

/** engine: the chosen one of `engines`, as studio/ui/speak/speaking.py has them. */
export function showLacking(engine, engines) {
  const isUnable = ["absent", "unavailable", "failed"].includes(engine.state) || isDown(engine);
  const key = isUnable ? `${engine.id} ${engine.state} ${engine.trouble}` : "";
  if (key === told) return;
  told = key;
  if (key) sayLacking(engine, engines);
  else say(LINE);
}

// Whether it is open, and nobody answers where it works.
const isDown = ({ state, elsewhere }) => state === "ready" && elsewhere?.health === "down";

/** Whether it cannot speak before somebody has got its weights. */
export const isLacking = (engine) => engine.state === "absent";

export function sayLacking(engine, engines) {
  say(LINE, noticeOf(engine, engines));
}

function noticeOf(engine, engines) {
  const other = insteadOf(engine, engines);
  const use = other && { words: words("speak.use_engine", { engine: other.title }), press: () => choice.choose({ engine: other.id }) };
  const acts = [engine.is_fetchable && getEngine(engine, LINE, true), use].filter(Boolean);
  if (engine.state !== "absent") return { kind: "problem", ...failureOf(engine), acts };
  return { kind: "problem", fact: words("speak.engine_away", { engine: engine.title }), hint: needsOf(engine), acts };
}

/** What speaks in its place: the one that sounds natural, or one that is loaded, rather than any other; undefined where none can. */
export function insteadOf({ id }, engines, natural = choice.known.natural?.engine) {
  const able = engines.filter((one) => one.id !== id && ABLE.includes(one.state) && !isDown(one));
  return able.find((one) => one.id === natural) ?? able.find(({ state }) => state === "ready") ?? able[0];
}

const failureOf = ({ title, reason, hint, elsewhere }) => ({
  fact: words("speak.engine_cannot", { engine: title }),
  hint: `${reason || elsewhere?.reason || ""} ${hint}`.trim(),
});

function needsOf({ bytes: size, wants_gpu: wantsGpu, is_fetchable: isFetchable, command, trouble }) {
  if (trouble) return [trouble, words("speak.text_kept")].join(" ");
  const needs = size ? [words(wantsGpu ? "speak.engine_needs_gpu" : "speak.engine_needs", { size: bytes(size) })] : [];
  if (!isFetchable && command) needs.push(words("speak.engine_command", { command }));
  return [...needs, words("speak.text_kept")].join(" ");
}
