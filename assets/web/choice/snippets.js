// A request as something to paste: curl for a shell, Python for the openai client, JavaScript for Node. Every value is quoted, so that any
// text stays text.
const PYTHON_WORDS = new Map([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);
const OPENAI_FIELDS = ["input", "voice", "model", "speed", "instructions"]; // arguments of the client's create(); all else goes as extra_body

// base: the address of the API, with its /v1. needsKey: whether a key has to go with each request, which is read from STUDIO_API_KEY.
// Of each language: speak(request), with the JSON body, writes the sound to speech.wav, and so does convert(request), which sends
// recording.wav to be said again, with the same fields but those of a text; create() makes a voice of clip.wav, without words, since
// those that are not the clip's would make a voice that engines refuse to learn; voices() lists what there is.
export const snippetsOf = (base, needsKey) => ({
  curl: curlOf(base, needsKey),
  python: pythonOf(base, needsKey),
  javascript: javascriptOf(base, needsKey),
});

// Of a form: what is no text goes as JSON.
const fieldsOf = (request) =>
  Object.entries(request).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);

const shellQuoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function literalOf(value) {
  if (PYTHON_WORDS.has(value)) return PYTHON_WORDS.get(value);
  if (Array.isArray(value)) return `[${value.map(literalOf).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, item]) => `${literalOf(name)}: ${literalOf(item)}`)
      .join(", ")}}`;
  return JSON.stringify(value); // a JSON string or number is one of Python's
}

function curlOf(base, needsKey) {
  const curl = (path, ...lines) => {
    const key = needsKey ? ['-H "Authorization: Bearer $STUDIO_API_KEY"'] : [];
    return [`curl -sf ${shellQuoted(`${base}${path}`)}`, ...key, ...lines].join(" \\\n  ");
  };
  return {
    speak: (request) =>
      curl("/audio/speech", "-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(request))}`, "-o speech.wav"),
    convert: (request) => {
      const fields = fieldsOf(request).map(([name, value]) => `--form-string ${shellQuoted(`${name}=${value}`)}`);
      return curl("/audio/speech/convert", "-F file=@recording.wav", ...fields, "-o speech.wav");
    },
    create: () => curl("/audio/voices", "-F name=Ana -F consent=own", "-F audio_sample=@clip.wav"),
    voices: () => curl("/audio/voices"),
  };
}

function pythonOf(base, needsKey) {
  const environment = needsKey ? ["import os"] : [];
  const header = needsKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'STUDIO_API_KEY\']}"},'] : [];
  const asked = (verb, path, ...lines) => [`answer = httpx.${verb}(`, `    ${literalOf(`${base}${path}`)},`, ...header, ...lines, ")"];
  const checked = "answer.raise_for_status()";
  const answered = [checked, "print(answer.json())"];
  const file = (field, name) => `    files={"${field}": ("${name}", Path("${name}").read_bytes(), "audio/wav")},`;
  const imports = [...environment, "from pathlib import Path", "", "import httpx", ""];
  return {
    speak: (request) => speechCode(request, base, needsKey),
    convert: (request) => {
      const fields = `    data=${literalOf(Object.fromEntries(fieldsOf(request)))},`;
      const answer = asked("post", "/audio/speech/convert", fields, file("file", "recording.wav"), "    timeout=60,");
      return [...imports, ...answer, checked, 'Path("speech.wav").write_bytes(answer.content)'].join("\n");
    },
    create: () => {
      const fields = '    data={"name": "Ana", "consent": "own"},';
      const answer = asked("post", "/audio/voices", fields, file("audio_sample", "clip.wav"), "    timeout=60,");
      return [...imports, ...answer, ...answered].join("\n");
    },
    voices: () => [...environment, ...(needsKey ? [""] : []), "import httpx", "", ...asked("get", "/audio/voices"), ...answered].join("\n"),
  };
}

function speechCode(request, base, needsKey) {
  const own = Object.entries(request).filter(([name]) => OPENAI_FIELDS.includes(name));
  const extra = Object.fromEntries(Object.entries(request).filter(([name]) => !OPENAI_FIELDS.includes(name)));
  const rows = own.map(([name, value]) => `    ${name}=${literalOf(value)},`);
  if (Object.keys(extra).length) rows.push(`    extra_body=${literalOf(extra)},`);
  const key = needsKey ? 'os.environ["STUDIO_API_KEY"]' : '"none"';
  return [
    ...(needsKey ? ["import os", ""] : []),
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${literalOf(base)}, api_key=${key})`,
    "with client.audio.speech.with_streaming_response.create(",
    ...rows,
    '    response_format="wav",',
    ") as answer:",
    '    answer.stream_to_file("speech.wav")',
  ].join("\n");
}

// For Node 18 and newer, as a module. In a browser of another address the studio has to allow it.
function javascriptOf(base, needsKey) {
  const key = needsKey ? ['Authorization: "Bearer " + process.env.STUDIO_API_KEY'] : [];
  const headers = (...more) => (key.length + more.length ? [`  headers: { ${[...key, ...more].join(", ")} },`] : []);
  const asked = (path, ...lines) => [`const answer = await fetch(${literalOf(`${base}${path}`)}, {`, ...lines, "});"];
  const checked = "if (!answer.ok) throw new Error(await answer.text());";
  const toFile = 'await writeFile("speech.wav", Buffer.from(await answer.arrayBuffer()));';
  const form = (fields, field, name) => [
    "const form = new FormData();",
    ...fields.map(([name, value]) => `form.append(${literalOf(name)}, ${literalOf(value)});`),
    `form.append("${field}", await openAsBlob("${name}"), "${name}");`,
  ];
  const body = (request) => JSON.stringify(request, null, 2).replaceAll("\n", "\n  ");
  return {
    speak: (request) =>
      [
        'import { writeFile } from "node:fs/promises";',
        "",
        ...asked(
          "/audio/speech",
          '  method: "POST",',
          ...headers('"Content-Type": "application/json"'),
          `  body: JSON.stringify(${body(request)}),`,
        ),
        checked,
        toFile,
      ].join("\n"),
    convert: (request) =>
      [
        'import { openAsBlob } from "node:fs";',
        'import { writeFile } from "node:fs/promises";',
        "",
        ...form(fieldsOf(request), "file", "recording.wav"),
        ...asked("/audio/speech/convert", '  method: "POST",', ...headers(), "  body: form,"),
        checked,
        toFile,
      ].join("\n"),
    create: () =>
      [
        'import { openAsBlob } from "node:fs";',
        "",
        ...form(Object.entries({ name: "Ana", consent: "own" }), "audio_sample", "clip.wav"),
        ...asked("/audio/voices", '  method: "POST",', ...headers(), "  body: form,"),
        checked,
        "console.log(await answer.json());",
      ].join("\n"),
    voices: () => [...asked("/audio/voices", ...headers()), checked, "console.log(await answer.json());"].join("\n"),
  };
}
