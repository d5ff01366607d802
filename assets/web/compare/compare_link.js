// A comparison as the end of an address: its text, and who says it how. A voice goes by its id, which says nothing of it; a built-in one by the
// name that its engine gives it. Pure.

/** lanes: [{voice, engine, language, options}]; of the page's own. voices: [{id, name}] of those that are stored. */
export function comparisonThing({ text, lanes, voices }) {
  const said = lanes.map(({ voice, engine, language, options }) => {
    const id = voices.find(({ name }) => name === voice)?.id;
    return ["lane", JSON.stringify([id ? { id } : voice, engine, language, options])];
  });
  return new URLSearchParams([["text", text], ...said]).toString();
}

/** {text, lanes, isWhole} of such a thing, null where it is none. isWhole: each voice is among `voices`; one that is not keeps its id for a
 *  name, so that none speaks in its place. */
export function comparisonOf(thing, voices) {
  const said = new URLSearchParams(thing);
  const nameOf = (id) => voices.find((voice) => voice.id === id)?.name;
  try {
    const told = said.getAll("lane").map((lane) => JSON.parse(lane));
    const lanes = told.map(([voice, engine, language, options]) => {
      const name = voice?.id ? (nameOf(voice.id) ?? voice.id) : voice;
      return { voice: name, engine: String(engine), language: String(language), options: { ...options } };
    });
    const isWhole = told.every(([voice]) => !voice?.id || nameOf(voice.id));
    return lanes.length ? { text: said.get("text") ?? "", lanes, isWhole } : null;
  } catch {
    return null; // somebody has cut it, or written it by hand
  }
}
