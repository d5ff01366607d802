// The tab "Scripts" before it is opened. When it is, its scripts, its styles and its words come: all that is in the room beside this file, and
// the room script_side. They hear of the tab by the name "scripts".

import { make, onMount } from "../kit/frame.js";
import { addPlace, say } from "../kit/notices.js";
import { words } from "../words/words.js";

const PLACE = "scripts-room-message";
const AT = import.meta.url; // of all scripts together, beside which the later ones are
let n_tries = 0;

onMount("scripts-room", (mounted) => {
  addPlace(PLACE, mounted.element.querySelector(".notice"));
  open(mounted);
});

async function open(mounted) {
  try {
    await Promise.all([scriptsCome(), stylesCome()]);
  } catch {
    const press = () => open(mounted);
    return say(PLACE, { kind: "problem", code: "studio_away", acts: [{ words: words("frame.load_again"), press }] });
  }
  say(PLACE);
  return window.studioMounts.push({ ...mounted, name: "scripts" });
}

// A browser that could not load a module remembers that by its address.
function scriptsCome() {
  n_tries += 1;
  return import(new URL(n_tries > 1 ? `./later.js?again=${n_tries}` : "./later.js", AT).href);
}

function stylesCome() {
  const sheet = make("link", { rel: "stylesheet", href: new URL("./later.css", AT).href });
  const came = new Promise((resolve, reject) => {
    sheet.addEventListener("load", resolve);
    sheet.addEventListener("error", () => {
      sheet.remove();
      reject(new Error("no styles"));
    });
  });
  document.querySelector(`link[rel="stylesheet"][href$="/styles.css"]`).after(sheet); // so that of two rules alike the later one counts
  return came;
}
