// The Vercel AI SDK: a provider of OpenAI's kind at another address, in its own default format and in others.
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { generateSpeech } from "ai";
import { GIVEN, PRINTED, PRINTED_FILE, runBlock, tell, testCase } from "./hearing.mjs";

const provider = (nLines) => runBlock({ createOpenAI, generateSpeech, writeFile }, "openai", nLines);

async function spoken(sound, model, asked) {
  const { audio, warnings } = await generateSpeech({ model: (await provider(1)).speech(model), text: GIVEN.text, maxRetries: 0, ...asked });
  sound.add(audio.uint8Array);
  sound.note = [audio.mediaType, ...warnings.map((warning) => warning.details ?? warning.type)].join(" ");
}

testCase("as printed", { format: "mp3", voice: "high" }, async (sound) => {
  sound.text = PRINTED;
  await provider();
  sound.add(readFileSync(PRINTED_FILE));
});
testCase("its defaults", { format: "mp3", voice: "high" }, (sound) => spoken(sound, "gpt-4o-mini-tts", {}));
testCase("wav", { format: "wav", voice: "high" }, (sound) => spoken(sound, "tts-1-hd", { outputFormat: "wav" }));

await tell();
