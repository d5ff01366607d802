// The sound of a clip that is to become a voice: as this browser has it, as the studio gives it back, and as a file for the studio.

import { samplesOf } from "../transport/speech_transport.js";
import { channelsTaken } from "./wav.js";

export const clipSound = {
  // { sampleRate, chunks } of a region between two milliseconds; null where this browser could not decode the file.
  own({ pieces, sampleRate }, { start, end }) {
    if (!pieces) return null;
    const [from, to] = [start, end].map((milliseconds) => Math.round((milliseconds * sampleRate) / 1000));
    let offset = 0; // of a piece in the clip
    const chunks = pieces.map((piece) => {
      const chunk = piece.subarray(Math.max(0, from - offset), Math.max(0, to - offset));
      offset += piece.length;
      return chunk;
    });
    return { sampleRate, chunks: chunks.filter(({ length }) => length) };
  },

  // The same from the studio, or { problem }. asked: { draft, start, end }; so much of it at most as the studio gives at once.
  async served(ask, asked) {
    const { problem, sample_rate: sampleRate, pcm } = await ask("region_sound", asked);
    return problem ? { problem } : { sampleRate, chunks: [samplesOf(pcm)] };
  },

  // All of a draft from the studio, as much at once as it gives: { sampleRate, pieces }, or { problem }.
  async whole(ask, { draft, milliseconds, sample_rate: sampleRate }, mostSeconds) {
    const most = 1000 * mostSeconds;
    const pieces = [];
    for (let start = 0; start < milliseconds; start += most) {
      const end = Math.min(milliseconds, start + most);
      const { problem, chunks } = await clipSound.served(ask, { draft, start, end });
      if (problem) return { problem };
      pieces.push(...chunks);
    }
    return { sampleRate, pieces };
  },

  // The sound of a file as the studio took it, { sampleRate, pieces }, or { problem }; no pieces where this browser did not decode it.
  // clip: what Recorder has of it. taken: what take_clip says.
  async chosen(ask, { channels, sampleRate, pieces }, taken, mostSeconds) {
    if (!channels) return { sampleRate, pieces };
    const own = channelsTaken(channels, taken.source);
    return own ? { sampleRate, pieces: [own] } : clipSound.whole(ask, taken, mostSeconds);
  },

  // A draft of before the page was loaded again: { taken, clip }, what the studio says of it, and what Recorder.restore takes; or { problem },
  // E-REF-7 where it is gone.
  async found(ask, draft, mostSeconds) {
    const taken = await ask("find_clip", { draft });
    const sound = taken.problem ? taken : await clipSound.whole(ask, taken, mostSeconds);
    if (sound.problem) return { problem: sound.problem.code === "draft_gone" ? { code: "E-REF-7", values: {} } : sound.problem };
    return { taken, clip: { ...sound, name: taken.name || "recording.wav", seconds: taken.milliseconds / 1000 } };
  },

  // A file for the server: { name, type, data }, data in base64.
  sent(file) {
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("loadend", () =>
        resolve({ name: file.name, type: file.type, data: String(reader.result ?? "").split(",")[1] ?? "" }),
      );
      reader.readAsDataURL(file);
    });
  },
};
