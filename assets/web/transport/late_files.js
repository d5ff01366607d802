// What comes when it is first wanted: a script that lies beside all others, with its words and its styles.

import { make } from "../kit/frame.js";

const AT = import.meta.url; // of all scripts together, beside which the late ones are
const tries = new Map(); // how often each was tried
const come = new Map(); // those that are here, or on their way

/** Resolves once the script and the styles of that name are here. Rejects where they do not come; they can be asked for again. */
export function lateFiles(name) {
  if (!come.has(name)) come.set(name, Promise.all([scriptComes(name), stylesCome(name)]));
  const coming = come.get(name);
  coming.catch(() => come.delete(name));
  return coming;
}

// A browser that could not load a module remembers that by its address.
function scriptComes(name) {
  const n = (tries.get(name) ?? 0) + 1;
  tries.set(name, n);
  return import(new URL(n > 1 ? `./${name}.js?again=${n}` : `./${name}.js`, AT).href);
}

function stylesCome(name) {
  const sheet = make("link", { rel: "stylesheet", href: new URL(`./${name}.css`, AT).href });
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
