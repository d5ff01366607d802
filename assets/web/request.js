// The body of POST v1/audio/speech that asks for a run.

const TOP_LEVEL = ["speed", "seed", "language", "max_new_tokens", "instructions"]; // fields of the request itself; other options go as extra_params

export function requestOf({ voice, engine, language, text, options }) {
  const request = { input: text, voice, model: engine };
  if (language) request.language = language;
  const extra = {};
  for (const [name, value] of Object.entries(options)) (TOP_LEVEL.includes(name) ? request : extra)[name] = value;
  if (Object.keys(extra).length) request.extra_params = extra;
  return request;
}
