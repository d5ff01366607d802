// Requests to paste: a shell and a Python that run them send exactly what was meant, whatever a text holds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { snippetsOf } from "../../assets/web/snippets.js";

const BASE = "https://studio.example/v1";
const TEXTS = [
  "It's \"quoted\", 'twice'",
  "two\nlines\tand a \\n that is none",
  "$HOME `id` $(id) !! %s * ~",
  "a 🦊 and a 𝄞",
  "Grüße, 你好, مرحبا, שלום, हिन्दी",
  "\u2028\u0000\u007f",
];

// What a shell makes of a command: its words.
const wordsOf = (command) =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

test("whatever the text, a shell hands curl the very body that was asked for", { skip: process.platform === "win32" }, () => {
  const requests = TEXTS.map((input) => ({ input, voice: 'Ana\'s "own"', seed: 7 }));
  for (const request of requests) {
    const words = wordsOf(snippetsOf(BASE, false).curl(request));
    assert.deepEqual(words.slice(0, 5), ["curl", "-sf", `${BASE}/audio/speech`, "-H", "Content-Type: application/json"]);
    assert.deepEqual(JSON.parse(words[words.indexOf("-d") + 1]), request);
  }
});

test("Python code names the client's own arguments and hands all else over as extra_body, in Python's words", () => {
  const request = {
    input: 'She said "no"\n🦊',
    voice: "Ana",
    speed: 1.5,
    seed: 7,
    stream: true,
    quiet: false,
    none: null,
    list: [1, { a: "b" }],
  };
  const code = snippetsOf(BASE, false).python(request);
  assert.ok(code.includes('    input="She said \\"no\\"\\n🦊",\n    voice="Ana",\n    speed=1.5,\n'));
  assert.ok(code.includes('extra_body={"seed": 7, "stream": True, "quiet": False, "none": None, "list": [1, {"a": "b"}]},'));
  assert.ok(code.includes(`OpenAI(base_url="${BASE}", api_key="none")`) && !code.includes("import os"));
});

test("where keys are needed, each snippet reads it from the environment and none holds one", () => {
  const { curl, python, voicesCurl, uploadCurl, uploadPython } = snippetsOf(BASE, true);
  for (const command of [curl({ input: "x" }), voicesCurl(), uploadCurl()]) {
    assert.ok(command.includes('-H "Authorization: Bearer $STUDIO_API_KEY"'), command);
  }
  for (const code of [python({ input: "x" }), uploadPython()]) {
    assert.ok(code.startsWith("import os\n") && code.includes("STUDIO_API_KEY"), code);
  }
  const { voicesCurl: without } = snippetsOf(BASE, false);
  assert.equal(without(), `curl -sf '${BASE}/audio/voices'`);
});
