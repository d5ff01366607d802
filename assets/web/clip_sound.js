// The sound of a clip that is to become a voice: as this browser has it, as the studio gives it back, and as a file for the studio.

import { samplesOf } from "./speech_transport.js";

const MOST_SERVED_MILLISECONDS = 60_000; // MOST_HEARD_SECONDS in studio/ui/clip_intake.py

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

  // The same from the studio, or { problem }. asked: { draft, start, end }; a minute of it at most.
  async served(ask, asked) {
    const { problem, sample_rate: sampleRate, pcm } = await ask("region_sound", asked);
    return problem ? { problem } : { sampleRate, chunks: [samplesOf(pcm)] };
  },

  // All of a draft from the studio, minute by minute: { sampleRate, pieces }, or { problem }.
  async whole(ask, { draft, milliseconds, sample_rate: sampleRate }) {
    const pieces = [];
    for (let start = 0; start < milliseconds; start += MOST_SERVED_MILLISECONDS) {
      const end = Math.min(milliseconds, start + MOST_SERVED_MILLISECONDS);
      const { problem, chunks } = await clipSound.served(ask, { draft, start, end });
      if (problem) return { problem };
      pieces.push(...chunks);
    }
    return { sampleRate, pieces };
  },

  // A file for the server: { name, type, data }, data in base64.
  sent(file) {
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("loadend", () =>
        resolve({ name: file.name, type: file.type, data: (reader.result ?? "").split(",")[1] ?? "" }),
      );
      reader.readAsDataURL(file);
    });
  },
};
