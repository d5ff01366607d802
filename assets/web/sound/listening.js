// Recordings through the page's one player: a WAV of ours is fetched, read and played, and whatever played before it stops.

import { say } from "../kit/notices.js";
import { askServer, SpeechRefused } from "../transport/speech_transport.js";
import { player } from "./player.js";

// Mono 16-bit WAV as our server writes it -> { sampleRate, chunks }.
function samplesOf(bytes) {
  const view = new DataView(bytes);
  for (let at = 12; at + 8 <= view.byteLength; at += 8 + view.getUint32(at + 4, true)) {
    if (view.getUint32(at, false) !== 0x64617461) continue; // "data"
    const length = Math.min(view.getUint32(at + 4, true), view.byteLength - at - 8) & ~1;
    return { sampleRate: view.getUint32(24, true), chunks: [new Int16Array(bytes.slice(at + 8, at + 8 + length))] };
  }
  throw new SpeechRefused("recording_unreadable");
}

// path: relative to the page. told: {label, key, about} as Session has them. line: the message line that hears of problems. Resolves once it was
// heard or stopped.
export const listen = async (path, told, line) => {
  say(line);
  const controller = new AbortController();
  player.unlock(); // inside the click
  player.wait(told.label, () => controller.abort(), told);
  try {
    const response = await askServer(path, { signal: controller.signal });
    const sound = samplesOf(await response.arrayBuffer());
    if (controller.signal.aborted) return;
    await player.play(sound, { cancel: () => controller.abort() });
  } catch (error) {
    if (controller.signal.aborted) return;
    player.fail();
    say(line, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
  }
};
