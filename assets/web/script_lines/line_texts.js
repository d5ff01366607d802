// What splitting, joining and pasting make of what is written of lines. Pure.

const WIDE = /[\u3000-\u9fff\uff00-\uffef]$/u; // scripts that are written without spaces
const OWN = ["who", "kind", "is_silent", "instructions", "speed"]; // what both halves of a line have

/** {before, after}: of a line whose text is split at a place. What it has of a pause stays with its end. */
export function splitLine(line, at) {
  const own = Object.fromEntries(OWN.filter((key) => line[key] !== undefined && line[key] !== null).map((key) => [key, line[key]]));
  const [before, after] = [line.text.slice(0, at).trimEnd(), line.text.slice(at).trimStart()];
  const isHeadsEnd = line.kind === "heading" && !after;
  return {
    before: { text: before, ...(after && { pause_seconds: null }) },
    after: {
      ...(isHeadsEnd ? { who: "" } : own),
      text: after,
      ...(after && line.pause_seconds !== null && { pause_seconds: line.pause_seconds }),
    },
  };
}

/** {text, at}: of two lines in one, and where the second begins in it. */
export function joinedText(one, other) {
  const [before, after] = [one.trimEnd(), other.trimStart()];
  const between = before && after && !WIDE.test(before) ? " " : "";
  return { text: before + between + after, at: before.length + between.length };
}

/** Lines of what is pasted: each line that is not empty, said by whom it names where the cast has that name. */
export function pastedLines(text, cast, who) {
  const names = new Map(cast.filter(({ name }) => name).map(({ name }) => [name.toUpperCase(), name]));
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [, named, rest] = /^([^:：]{1,64})[:：]\s*(.+)$/u.exec(line) ?? [];
    const known = names.get(named?.trim().toUpperCase());
    return known ? { who: known, text: rest } : { who, text: line };
  });
}

/** Where lines land that are moved by so many places: the id behind which they stand then, null for the beginning; undefined where they
 *  cannot go there. ids: of all lines; moved: of those, in their order. */
export function landing(ids, moved, steps) {
  const gone = new Set(moved);
  const rest = ids.filter((id) => !gone.has(id));
  const first = ids.indexOf(moved[0]);
  const before = ids.slice(0, first).filter((id) => !gone.has(id)).length;
  const at = before + steps;
  if (at < 0 || at > rest.length || moved.length === ids.length) return undefined;
  return at ? rest[at - 1] : null;
}
