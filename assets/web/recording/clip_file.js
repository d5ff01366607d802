// A file that is to become a voice, as far as this browser can read it.

import { int16Of } from "../sound/wav.js";

const DECODE_HZ = 48000;

// A file's length by its header; 0 where that does not say.
export function secondsOf(file) {
  const address = URL.createObjectURL(file);
  const audio = Object.assign(document.createElement("audio"), { preload: "metadata" });
  return new Promise((resolve) => {
    const told = () => {
      URL.revokeObjectURL(address);
      resolve(Number.isFinite(audio.duration) ? audio.duration : 0);
    };
    audio.addEventListener("loadedmetadata", told);
    audio.addEventListener("error", told);
    audio.src = address;
  });
}

// A file's samples for listening and drawing, { sampleRate, channels, seconds }; null where this browser lacks the decoder.
// pieces: of one channel alone. Which of several are the voice, the studio says.
export async function decoded(file) {
  try {
    const buffer = await new OfflineAudioContext(1, 1, DECODE_HZ).decodeAudioData(await file.arrayBuffer());
    const channels = Array.from({ length: buffer.numberOfChannels }, (_, number) => int16Of(buffer.getChannelData(number)));
    return { sampleRate: DECODE_HZ, channels, pieces: channels.length === 1 ? channels : null, seconds: buffer.duration };
  } catch {
    return null;
  }
}
