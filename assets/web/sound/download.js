// What can be taken away of what was heard: its samples as they are, or in another format by the studio, and what was asked for.
import { saveFile } from "../kit/frame.js";
import { openMenu } from "../kit/menu.js";
import { endStrip, strip } from "../kit/notices.js";
import { askServer } from "../transport/speech_transport.js";
import { words } from "../words/words.js";
import { player } from "./player.js";

const WAV_HEADER_BYTES = 44;
const MOST_NAME = 60; // characters
// [format, its ending, bytes of a second, what it is for]; the bytes are those of the demo recording at 24 kHz, by the studio's encoders.
/** @type {[string, string, number, string][]} */
const ENCODED = [
  ["FLAC", "flac", 20_600, "player.flac_note"],
  ["MP3", "mp3", 6800, "player.mp3_note"],
  ["Opus", "opus", 4600, "player.opus_note"],
];
const KEY = "download";

export function openDownloads(button) {
  const { session } = player;
  const wavBytes = WAV_HEADER_BYTES + 2 * session.samples;
  const sounds = [
    { icon: "download", words: "WAV", note: words("player.wav_note", { size: wavBytes }), act: () => save(player.wav(), session, "wav") },
  ];
  for (const [title, ending, perSecond, note] of ENCODED) {
    const size = Math.round(perSecond * session.seconds);
    sounds.push({ icon: "download", words: title, note: words(note, { size }), act: () => saveEncoded(session, title, ending) });
  }
  const settings = { icon: "copy", words: words("player.settings"), note: "JSON", act: () => save(settingsOf(session), session, "json") };
  const heading = session.complete ? [] : [{ heading: words("player.arrived", { seconds: session.seconds }) }];
  openMenu(button, words("player.download"), [...heading, ...sounds, null, settings]);
}

/** "Rosa-This-is-my-voice.wav". */
function fileNameOf({ about, label }, ending) {
  const words = about ? `${about.voice} ${about.text ?? ""}` : label;
  const name = words.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, MOST_NAME);
  return `${name.replace(/^-|-$/g, "") || "speech"}.${ending}`;
}

const save = (blob, session, ending) => saveFile(blob, fileNameOf(session, ending));

async function saveEncoded(session, title, format) {
  strip({ kind: "note", text: words("player.writing", { title }), seconds: Number.POSITIVE_INFINITY, key: KEY });
  try {
    const path = `studio/encoded?format=${format}&rate=${session.sampleRate}`;
    const body = new Blob(session.pieces);
    const answer = await askServer(path, { method: "POST", headers: { "Content-Type": "audio/pcm" }, body });
    save(await answer.blob(), session, format);
    endStrip(KEY);
  } catch (error) {
    strip({ kind: "problem", text: error.message, hint: error.hint ?? "", seconds: Number.POSITIVE_INFINITY, key: KEY });
  }
}

// What was asked for and what was measured, for whoever wants to make it again.
function settingsOf({ about, label, facts, sampleRate, seconds, underruns, firstSoundMilliseconds, receivedMilliseconds }) {
  const { voice, engine, text, language, options } = about ?? {};
  const figures = {
    cache: facts?.cache ?? null,
    ttfp_milliseconds: facts?.ttfpMilliseconds ?? null,
    far_ttfp_milliseconds: facts?.stages.get("far")?.milliseconds ?? null,
    click_to_sound_milliseconds: firstSoundMilliseconds,
    received_milliseconds: receivedMilliseconds ?? null,
    underruns,
  };
  const request = { label, text, voice, engine, language, options, request_id: facts?.requestId ?? null };
  const told = { ...request, sample_rate: sampleRate, seconds, figures };
  return new Blob([`${JSON.stringify(told, null, 2)}\n`], { type: "application/json" });
}
