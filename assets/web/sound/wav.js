// PCM in and out of files: int16 to a WAV blob without changing a bit, float to int16, channels to one.

// pieces: Int16Arrays of mono samples. Returns a Blob that holds exactly these samples.
export const wavOf = (pieces, sampleRate) => {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const header = new DataView(new ArrayBuffer(44));
  const word = (offset, text) => {
    for (let index = 0; index < text.length; index += 1) header.setUint8(offset + index, text.charCodeAt(index));
  };
  word(0, "RIFF");
  header.setUint32(4, 36 + bytes, true);
  word(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true); // PCM
  header.setUint16(22, 1, true); // mono
  header.setUint32(24, sampleRate, true);
  header.setUint32(28, sampleRate * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  word(36, "data");
  header.setUint32(40, bytes, true);
  return new Blob([header.buffer, ...pieces], { type: "audio/wav" });
};

// samples: Float32Array in [-1, 1]; what is beyond is clipped.
export const int16Of = (samples) => {
  const words = new Int16Array(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    words[index] = Math.max(-32768, Math.min(32767, Math.round(samples[index] * 32768)));
  }
  return words;
};

// Of a file's channels those that the studio took, as one Int16Array; null where they may be others here than there: another track, another
// number of channels, or more than two, which decoders number as they like. source: of what take_clip says.
export const channelsTaken = (channels, { channels: numbers, n_channels: n, track }) => {
  if (track > 1 || channels.length !== n || n > 2) return null;
  const [first, ...others] = numbers.map((number) => channels[number]);
  return others.length ? first.map((sample, index) => Math.round((sample + others[0][index]) / 2)) : first;
};
