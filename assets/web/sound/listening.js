// Recordings through the page's one player: a WAV or FLAC of ours is fetched, read and played, and whatever played before it stops.

import { say } from "../kit/notices.js";
import { askServer, SpeechRefused } from "../transport/speech_transport.js";
import { player } from "./player.js";

const FLAC = 0x664c6143; // "fLaC"
const RATE_AT = 18; // of 20 bits, in the FLAC's first block (RFC 9639, 8.2)
const FULL_SCALE = 32768;

/** Mono 16-bit WAV or FLAC as our server writes it -> { sampleRate, chunks }. */
async function recordedSound(bytes) {
  const view = new DataView(bytes);
  if (view.byteLength > RATE_AT + 4 && view.getUint32(0, false) === FLAC) return decoded(bytes, view.getUint32(RATE_AT, false) >>> 12);
  return samplesOf(view, bytes);
}

// By the browser, at the sound's own rate.
async function decoded(bytes, sampleRate) {
  try {
    const buffer = await new OfflineAudioContext(1, 1, sampleRate).decodeAudioData(bytes);
    return { sampleRate, chunks: [Int16Array.from(buffer.getChannelData(0), (sample) => Math.round(sample * FULL_SCALE))] };
  } catch {
    throw new SpeechRefused("recording_unreadable");
  }
}

function samplesOf(view, bytes) {
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
    const sound = await recordedSound(await response.arrayBuffer());
    if (controller.signal.aborted) return;
    await player.play(sound, { cancel: () => controller.abort() });
  } catch (error) {
    if (controller.signal.aborted) return;
    player.fail();
    say(line, { kind: "problem", fact: error.message, hint: error.hint ?? "" });
  }
};
