// The tab "Scripts" before it is opened. When it is, its scripts, its styles and its words come: all that is in the room beside this file, and
// the rooms whose names begin with script. They hear of the tab by the name "scripts".

import { onMount } from "../kit/frame.js";
import { addPlace, say } from "../kit/notices.js";
import { lateFiles } from "../transport/late_files.js";
import { words } from "../words/words.js";

const PLACE = "scripts-room-message";

onMount("scripts-room", (mounted) => {
  addPlace(PLACE, mounted.element.querySelector(".notice"));
  open(mounted);
});

async function open(mounted) {
  try {
    await lateFiles("later");
  } catch {
    const press = () => open(mounted);
    return say(PLACE, { kind: "problem", code: "studio_away", acts: [{ words: words("frame.load_again"), press }] });
  }
  say(PLACE);
  return window.studioMounts.push({ ...mounted, name: "scripts" });
}
