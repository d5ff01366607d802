// Deleting takes, and the way back for a while.

import { offerUndo, say, strip } from "../kit/notices.js";
import { called } from "../transport/server_call.js";
import { words } from "../words/words.js";

/** ids: of takes. server: of the component. place: where is said what went wrong. onChange: told once the takes are others. */
export async function deleteTakes(ids, server, { place, onChange }) {
  const refuse = (problem) => say(place, { kind: "problem", ...problem });
  const { problem, ...deletion } = await called(server, "delete_takes", { entries: ids }, "E-NET-1");
  if (problem) return refuse(problem);
  onChange();
  const [n, seconds] = [ids.length, deletion.undo_seconds];
  const said = {
    text: words("history.deleted_now", { n }),
    hint: words("history.undo_within", { n, seconds }),
    label: words("history.undo_label", { n }),
  };
  const undone = async (undo) => {
    const back = await called(server, "restore_takes", { undo }, "E-NET-1");
    if (back.problem) return refuse(back.problem);
    onChange();
    return strip({ text: words("history.back", back) });
  };
  return offerUndo(deletion, undone, said);
}
