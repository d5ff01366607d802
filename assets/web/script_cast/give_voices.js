// Voices for members of a cast that have none: built-in ones, a different one for each, of the script's language first, women and men in turn.
// Pure. Nothing that somebody chose is replaced.

const baseOf = (code) => (code ?? "").split("-")[0];

/** {given: [member], left: [name]}: members with a voice, and names for which there is none any more.
 *  rows: of castRows. voices: [{name, is_stored, language, sex}] of the engine. language: of the script, "" where it is not known. */
export function givenVoices(rows, { voices, engine, designed = null }, language) {
  const lacking = rows.filter(({ member, counts }) => !member?.voice && counts.n_lines);
  const taken = new Set(rows.map(({ member }) => member?.voice).filter(Boolean));
  const builtIn = voices.filter(
    ({ name, is_stored: isStored }) => !isStored && name !== designed && !name.includes("+") && !taken.has(name),
  );
  const fit = builtIn.filter((voice) => !language || !voice.language || baseOf(voice.language) === baseOf(language));
  const line = inTurn(fit.toSorted((one, other) => nearness(other, language) - nearness(one, language)));
  const given = [];
  const left = [];
  for (const [at, { name, member }] of lacking.entries()) {
    const voice = line[at];
    if (voice) given.push({ ...member, name, voice: voice.name, model: member?.model ?? engine });
    else left.push(name);
  }
  return { given, left };
}

const nearness = (voice, language) => Number(voice.language === language) + Number(baseOf(voice.language) === baseOf(language));

// One of each sex after the other, for as long as there are both; those of no sex stand where they are.
function inTurn(voices) {
  const of = (sex) => voices.filter((voice) => voice.sex === sex);
  const [women, men, others] = [of("female"), of("male"), voices.filter(({ sex }) => !["female", "male"].includes(sex))];
  const both = women.flatMap((woman, at) => [woman, men[at]]).filter(Boolean);
  return [...both, ...men.slice(women.length), ...others];
}
