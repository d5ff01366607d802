// A request as something to paste: curl for a shell, Python for the openai client. Every value is quoted, so that any text stays text.

import { make } from "./frame.js";
import { speakOptions } from "./options.js";

const PYTHON_WORDS = new Map([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);
const OPENAI_FIELDS = ["input", "voice", "model", "speed"]; // arguments of the client's create(); all else goes as extra_body

const base = () => new URL("v1", document.baseURI).href;
const shellQuoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const keyIsNeeded = () => Boolean(speakOptions?.choice.needs_key);

function pythonOf(value) {
  if (PYTHON_WORDS.has(value)) return PYTHON_WORDS.get(value);
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, item]) => `${pythonOf(name)}: ${pythonOf(item)}`)
      .join(", ")}}`;
  return JSON.stringify(value); // a JSON string or number is one of Python's
}

// request: the JSON body. Writes the sound to speech.wav.
function curlOf(request) {
  const lines = [`curl -sf ${shellQuoted(`${base()}/audio/speech`)}`, "-H 'Content-Type: application/json'"];
  if (keyIsNeeded()) lines.push('-H "Authorization: Bearer $STUDIO_API_KEY"');
  return [...lines, `-d ${shellQuoted(JSON.stringify(request))}`, "-o speech.wav"].join(" \\\n  ");
}

function pythonCodeOf(request) {
  const own = Object.entries(request).filter(([name]) => OPENAI_FIELDS.includes(name));
  const extra = Object.fromEntries(Object.entries(request).filter(([name]) => !OPENAI_FIELDS.includes(name)));
  const rows = own.map(([name, value]) => `    ${name}=${pythonOf(value)},`);
  if (Object.keys(extra).length) rows.push(`    extra_body=${pythonOf(extra)},`);
  const key = keyIsNeeded() ? 'os.environ["STUDIO_API_KEY"]' : '"none"';
  return [
    ...(keyIsNeeded() ? ["import os", ""] : []),
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${pythonOf(base())}, api_key=${key})`,
    "with client.audio.speech.with_streaming_response.create(",
    ...rows,
    '    response_format="wav",',
    ") as answer:",
    '    answer.stream_to_file("speech.wav")',
  ].join("\n");
}

// A voice from clip.wav. Without words: those that are not the clip's would make a voice that engines refuse to learn.
function uploadCurl() {
  const lines = [`curl -sf ${shellQuoted(`${base()}/audio/voices`)}`];
  if (keyIsNeeded()) lines.push('-H "Authorization: Bearer $STUDIO_API_KEY"');
  return [...lines, "-F name=Ana -F consent=own", "-F audio_sample=@clip.wav"].join(" \\\n  ");
}

function uploadPython() {
  const key = keyIsNeeded() ? ['    headers={"Authorization": f"Bearer {os.environ[\'STUDIO_API_KEY\']}"},'] : [];
  return [
    ...(keyIsNeeded() ? ["import os", ""] : []),
    "from pathlib import Path",
    "",
    "import httpx",
    "",
    "answer = httpx.post(",
    `    ${pythonOf(`${base()}/audio/voices`)},`,
    ...key,
    '    data={"name": "Ana", "consent": "own"},',
    '    files={"audio_sample": ("clip.wav", Path("clip.wav").read_bytes(), "audio/wav")},',
    "    timeout=60,",
    ")",
    "answer.raise_for_status()",
    "print(answer.json())",
  ].join("\n");
}

// navigator.clipboard is missing on insecure origins; a selected field can still be copied there.
export async function copyText(text) {
  if (navigator.clipboard?.writeText) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // refused: try the old way
    }
  }
  const field = make("textarea", { value: text, className: "visually-hidden" });
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copyText");
  field.remove();
  if (!copied) throw new Error("The browser does not allow copying.");
}

export const snippets = { base, curl: curlOf, python: pythonCodeOf, uploadCurl, uploadPython, shellQuoted, keyIsNeeded };
