// The body that asks for a run: of POST v1/audio/speech, or of what a recording is said again by, which has neither text nor language.

const TOP_LEVEL = ["speed", "seed", "language", "max_new_tokens", "instructions"]; // fields of the request itself; other options go as extra_params

const OF_TEXT = ["instructions"]; // options that concern a text alone

export function requestOf({ voice, engine, language, text, options, directions = true, recording = null }) {
  const request = recording ? { voice, model: engine } : { input: text, voice, model: engine };
  if (language) request.language = language;
  if (!directions && !recording) request.directions = false;
  const extra = {};
  const told = Object.entries(options).filter(([name]) => !recording || !OF_TEXT.includes(name));
  for (const [name, value] of told) (TOP_LEVEL.includes(name) ? request : extra)[name] = value;
  if (Object.keys(extra).length) request.extra_params = extra;
  return request;
}
