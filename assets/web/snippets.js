// A request as something to paste: curl for a shell, Python for the openai client. Every value is quoted, so that any text stays text.
const PYTHON_WORDS = new Map([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);
const OPENAI_FIELDS = ["input", "voice", "model", "speed"]; // arguments of the client's create(); all else goes as extra_body

// base: the address of the API, with its /v1. needsKey: whether a key has to go with each request, which is read from STUDIO_API_KEY.
export function snippetsOf(base, needsKey) {
  const curl = (path, ...lines) => {
    const key = needsKey ? ['-H "Authorization: Bearer $STUDIO_API_KEY"'] : [];
    return [`curl -sf ${shellQuoted(`${base}${path}`)}`, ...key, ...lines].join(" \\\n  ");
  };
  return {
    // request: the JSON body. Writes the sound to speech.wav.
    curl: (request) => {
      const body = `-d ${shellQuoted(JSON.stringify(request))}`;
      return curl("/audio/speech", "-H 'Content-Type: application/json'", body, "-o speech.wav");
    },
    python: (request) => speechCode(request, base, needsKey),
    voicesCurl: () => curl("/audio/voices"),
    // A voice from clip.wav. Without words: those that are not the clip's would make a voice that engines refuse to learn.
    uploadCurl: () => curl("/audio/voices", "-F name=Ana -F consent=own", "-F audio_sample=@clip.wav"),
    uploadPython: () => uploadCode(base, needsKey),
  };
}

const shellQuoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function pythonOf(value) {
  if (PYTHON_WORDS.has(value)) return PYTHON_WORDS.get(value);
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, item]) => `${pythonOf(name)}: ${pythonOf(item)}`)
      .join(", ")}}`;
  return JSON.stringify(value); // a JSON string or number is one of Python's
}

function speechCode(request, base, needsKey) {
  const own = Object.entries(request).filter(([name]) => OPENAI_FIELDS.includes(name));
  const extra = Object.fromEntries(Object.entries(request).filter(([name]) => !OPENAI_FIELDS.includes(name)));
  const rows = own.map(([name, value]) => `    ${name}=${pythonOf(value)},`);
  if (Object.keys(extra).length) rows.push(`    extra_body=${pythonOf(extra)},`);
  const key = needsKey ? 'os.environ["STUDIO_API_KEY"]' : '"none"';
  return [
    ...(needsKey ? ["import os", ""] : []),
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${pythonOf(base)}, api_key=${key})`,
    "with client.audio.speech.with_streaming_response.create(",
    ...rows,
    '    response_format="wav",',
    ") as answer:",
    '    answer.stream_to_file("speech.wav")',
  ].join("\n");
}

function uploadCode(base, needsKey) {
  const key = needsKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'STUDIO_API_KEY\']}"},'] : [];
  return [
    ...(needsKey ? ["import os", ""] : []),
    "from pathlib import Path",
    "",
    "import httpx",
    "",
    "answer = httpx.post(",
    `    ${pythonOf(`${base}/audio/voices`)},`,
    ...key,
    '    data={"name": "Ana", "consent": "own"},',
    '    files={"audio_sample": ("clip.wav", Path("clip.wav").read_bytes(), "audio/wav")},',
    "    timeout=60,",
    ")",
    "answer.raise_for_status()",
    "print(answer.json())",
  ].join("\n");
}
