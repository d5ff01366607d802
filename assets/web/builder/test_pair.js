// What a new listening test begins with. Pure.

/** The engine that a new test begins with, of those here: the first of `wanted` (ids), else any; undefined where none is here. */
export const firstEngine = (here, wanted) => wanted.map((one) => here.find(({ id }) => id === one)).find(Boolean) ?? here[0];

/**
 * What a new test compares a system with: the same voice of another engine; of the same one, if it came with the engine, another voice,
 * or else itself as it is learned anew. engines: {id, voices, presets (by name)} of each.
 */
export function besides(first, engines) {
  const other = engines.find(({ id, voices }) => id !== first.engine && voices.includes(first.voice));
  if (other) return { ...first, engine: other.id };
  const { voices = [], presets = {} } = engines.find(({ id }) => id === first.engine) ?? {};
  if (!(first.voice in presets)) return { ...first, cold: true };
  return { ...first, voice: voices.find((name) => name !== first.voice) ?? first.voice };
}
