// What is said of a member of the cast: its name, its voice and engine, how much it says.

import { apart, words } from "../words/words.js";

export const memberName = ({ name }) => name || words("scripts.cast_narrator");

/** "Rosa · Kokoro"; that none is chosen, and then which the engine has by itself. told: what is known of it (member_choice.js). */
export function voiceLine({ member }, told) {
  const engine = told?.title ?? member?.model ?? "";
  const voice = member?.voice ? apart(member.voice) : words("scripts.cast_no_voice");
  return [voice, engine].filter(Boolean).join(" · ");
}

/** Digest of the print of the voice that is known; "" for none. */
export const printDigest = (told) => told?.voices?.find(({ name }) => name === told.voice)?.print ?? "";
