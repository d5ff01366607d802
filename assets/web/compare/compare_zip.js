// A ZIP of files as they are, without compression: sounds would hardly become smaller. PKWARE's APPNOTE.TXT 6.3.10, 4.3.7 to 4.3.16. Pure.

const UTF_8 = 0x0800; // general purpose bit 11: names are UTF-8
const VERSION = 20;
const DATE = 0x21; // 1980-01-01: the same files make the same bytes
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Of bytes, as ZIP has it. */
export function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** A Blob. files: [{name, bytes}], bytes being a Uint8Array. */
export function zipOf(files) {
  const parts = [];
  const entries = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const named = new TextEncoder().encode(name);
    const about = [VERSION, UTF_8, 0, 0, DATE, ...low(crc32(bytes)), ...low(bytes.length), ...low(bytes.length), named.length, 0];
    const head = record(0x04034b50, about);
    entries.push(record(0x02014b50, [VERSION, ...about, 0, 0, 0, 0, 0, ...low(at)]), named);
    parts.push(head, named, bytes);
    at += head.length + named.length + bytes.length;
  }
  const length = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = record(0x06054b50, [0, 0, files.length, files.length, ...low(length), ...low(at), 0]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

// Of 32 bits the two words of 16, the lower one first.
const low = (value) => [value & 0xffff, value >>> 16];

function record(signature, words) {
  const view = new DataView(new ArrayBuffer(4 + 2 * words.length));
  view.setUint32(0, signature, true);
  for (const [at, word] of words.entries()) view.setUint16(4 + 2 * at, word, true);
  return new Uint8Array(view.buffer);
}
