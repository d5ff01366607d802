// A line in the voice of a member, heard at once: the first line that is known of it, through the page's one player. It is kept nowhere.

import { player } from "../sound/player.js";
import { speech } from "../transport/gradio_transport.js";
import { requestOf } from "../transport/request.js";
import { words } from "../words/words.js";
import { known } from "./member_choice.js";
import { memberName, printDigest } from "./member_words.js";

const MOST_CHARACTERS = 240; // of a sample

/** By which the player knows the sample of a member: another one once the member is otherwise. */
export const sampleKey = (state, member) => `member ${state.id} ${JSON.stringify(member)}`;

/** What the member says: a line of its own, else a sentence of ours. */
export function sampleText(state, { name }) {
  const own = state.ids.map((id) => state.line(id)).find((line) => line?.who === name && !line.is_silent && line.text.trim());
  return (own?.text ?? words("scripts.cast_sample")).slice(0, MOST_CHARACTERS);
}

/** Inside of a click. complain(problem): hears what went wrong. text: what is said, where that is not a sample line. */
export async function hearMember(state, member, complain, { text = sampleText(state, member), key = sampleKey(state, member) } = {}) {
  const controller = new AbortController();
  const cancel = () => controller.abort();
  player.unlock();
  player.wait(memberName(member), cancel, { key });
  try {
    const told = await known(member.voice, member.model);
    const { voice, engine, title } = { voice: member.voice, engine: member.model, title: member.model ?? "", ...told };
    const language = member.language || state.script.language || "";
    const options = { ...member.options };
    if (member.instructions) options.instructions = member.instructions;
    if (member.speed !== 1) options.speed = member.speed;
    const about = { voice: voice ?? member.name, engine, engineTitle: title, text, print: printDigest(told) };
    const request = requestOf({ voice: voice ?? undefined, engine, language, text, options });
    const stream = await speech(request, controller.signal, null, { isKept: false });
    if (!controller.signal.aborted) await player.play(stream, { cancel, about });
  } catch (error) {
    if (controller.signal.aborted) return;
    player.fail();
    complain({ code: error.code ?? "", values: error.values, fact: error.message ?? error.fact, hint: error.hint });
  }
}
