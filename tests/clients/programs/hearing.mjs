// What a client's program tells, as hearing.py does it for Python: each case, the sound that it got, and when each piece of it came.
import { readSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

export const GIVEN = JSON.parse(process.argv[2]);
export const PRINTED = "Hello from a voice of my own."; // what the blocks say
export const PRINTED_FILE = "hello.mp3"; // and where they write it
const cases = [];

class Sound {
  begun = performance.now();
  data = [];
  pieces = [];
  text = GIVEN.text;
  rate_hz = 24_000; // of samples without a header, by OpenAI's API
  note = "";

  add(data) {
    this.pieces.push([(performance.now() - this.begun) / 1000, data.length]);
    this.data.push(Buffer.from(data));
  }
}

/** expected: format of the sound; streams: whether it comes while it is made; voice: "high" or "low". */
export function testCase(name, expected, heard) {
  cases.push([name, expected, heard]);
}

/** The block of docs/clients.md, run with these names, or its first lines, which connect; what it makes under `name`. */
export function runBlock(names, name, nLines) {
  const lines = GIVEN.block.split("\n").slice(0, nLines);
  const made = `return (async () => { ${lines.join("\n")}\nreturn ${name}; })()`;
  return new Function(...Object.keys(names), made)(...Object.values(names));
}

/** Try every case, and print a line of JSON for each. The next one begins at the answer, so that requests are told apart. */
export async function tell() {
  for (const [number, [name, expected, heard]] of cases.entries()) {
    const sound = new Sound();
    let error = "";
    try {
      await heard(sound);
    } catch (failure) {
      console.error(failure);
      error = `${failure.name}: ${failure.message}`.slice(0, 400);
    }
    const file = resolve(`${number}.sound`);
    writeFileSync(file, Buffer.concat(sound.data));
    const { pieces, text, rate_hz, note } = sound;
    console.log(JSON.stringify({ case: name, ...expected, file, pieces, error, text, rate_hz, note }));
    readSync(0, Buffer.alloc(1));
  }
}
