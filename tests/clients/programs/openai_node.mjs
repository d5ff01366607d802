// OpenAI's own client for Node: whole and as a stream, and what it lists.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import OpenAI from "openai";
import { GIVEN, PRINTED, PRINTED_FILE, runBlock, tell, testCase } from "./hearing.mjs";

const client = (nLines) => runBlock({ OpenAI, writeFile }, "client", nLines);

async function streamed(sound, asked) {
  const answer = await (await client(1)).audio.speech.create({ model: "gpt-4o-mini-tts", voice: "alloy", input: GIVEN.text, ...asked });
  for await (const piece of answer.body) sound.add(piece);
}

testCase("as printed", { format: "mp3", voice: "high" }, async (sound) => {
  sound.text = PRINTED;
  await client();
  sound.add(readFileSync(PRINTED_FILE));
});
testCase("streamed mp3", { format: "mp3", streams: true, voice: "high" }, (sound) => streamed(sound, { stream_format: "audio" }));
testCase("streamed pcm", { format: "pcm", streams: true, voice: "high" }, (sound) =>
  streamed(sound, { response_format: "pcm", stream_format: "audio" }),
);
testCase("wav", { format: "wav", voice: "high" }, (sound) => streamed(sound, { response_format: "wav" }));
testCase("models", { format: "" }, async (sound) => {
  const listed = [];
  for await (const model of (await client(1)).models.list()) listed.push(model.id);
  if (!listed.includes("tts-1")) throw new Error(`no tts-1 in ${listed}`);
  sound.note = listed.join(", ");
});

await tell();
