// The cast of a script as the board changes it: who is in it, which edits a change is, and how many lines it makes stale. Pure.

export const NARRATOR = "";
const SOUNDLESS = ["name", "gain_db"]; // what of a member no take is made of

/** A member as the API has one, of a name that has none yet. */
export const memberOf = (name) => ({
  name,
  voice: null,
  model: null,
  language: null,
  instructions: null,
  speed: 1,
  gain_db: 0,
  options: {},
});

/** Every name of the script with its member and its counts: the narrator first, then in the order of the cast, then names of lines alone.
 *  lines: LineAnswers that are known, counted where the studio counts none. */
export function castRows({ cast = [], cast_counts: counts = null }, lines = []) {
  const counted = new Map((counts ?? countsOf(lines)).map((count) => [count.name, count]));
  const names = new Set([...cast.map(({ name }) => name), ...counted.keys()]);
  const rows = [...names].map((name) => ({
    name,
    member: cast.find((member) => member.name === name) ?? null,
    counts: counted.get(name) ?? { name, n_lines: 0, n_characters: 0, n_said: 0, n_stale: 0, seconds: 0 },
  }));
  return rows.filter(({ name, member, counts: own }) => name !== NARRATOR || member || own.n_lines).sort(narratorFirst);
}

const narratorFirst = (one, other) => Number(one.name !== NARRATOR) - Number(other.name !== NARRATOR);

function countsOf(lines) {
  const found = new Map();
  for (const { who, text, state, seconds, is_silent: isSilent } of lines) {
    const own = found.get(who) ?? { name: who, n_lines: 0, n_characters: 0, n_said: 0, n_stale: 0, seconds: 0 };
    own.n_lines += 1;
    own.n_characters += text.length;
    own.n_said += Number(state === "said");
    own.n_stale += Number(state === "stale");
    own.seconds += isSilent ? 0 : (seconds ?? 0);
    found.set(who, own);
  }
  return [...found.values()];
}

/** The cast with this member in it, in place of the one of that name; at the end where there was none. */
export function withMember(cast, member, before = member.name) {
  const at = cast.findIndex(({ name }) => name === before);
  return at < 0 ? [...cast, member] : cast.with(at, member);
}

export const without = (cast, name) => cast.filter((member) => member.name !== name);

const plain = (value) =>
  value && typeof value === "object" ? JSON.stringify(Object.entries(value).sort()) : JSON.stringify(value ?? null);

/** Whether the takes of a member are stale once it is otherwise. */
export function makesStale(before, after) {
  const keys = Object.keys(memberOf("")).filter((key) => !SOUNDLESS.includes(key));
  const old = before ?? memberOf(after.name);
  return keys.some((key) => plain(old[key]) !== plain(after[key]));
}

/** How many lines are to be said again by it. rows: of castRows. changes: [member after]. */
export function staleLines(rows, changes) {
  return changes.reduce((sum, after) => {
    const row = rows.find(({ name }) => name === after.name);
    return sum + (row && makesStale(row.member, after) ? row.counts.n_said : 0);
  }, 0);
}

/** Lines that are said again when `name` becomes a name of another member. A name of nobody keeps its voice, and nothing is stale. */
export function staleByJoining(rows, name, to) {
  const [one, other] = [name, to].map((wanted) => rows.find((row) => row.name === wanted));
  return other && makesStale(one.member, { ...memberOf(name), ...other.member, name }) ? one.counts.n_said : 0;
}

/** The edit by which lines of a name follow it: another name, or one that is there (then the two are one). */
export const renaming = (name, to) => ({ op: "rename", name, to });

const MOST_CHARACTERS = 64;

/** A name as lines can have it; "" where it is none. */
export const nameTyped = (typed) => typed.trim().replace(/\s+/g, " ").slice(0, MOST_CHARACTERS);
