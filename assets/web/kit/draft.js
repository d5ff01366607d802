// Drafts: what was entered and neither spoken nor created yet. Words and choices stay in this tab's session storage, so that a reload loses
// none; sound and the reason of a consent never do. They are shown again to whom they belong, and forgotten where somebody else comes.

const KEPT = "studio-draft";
let owner = ""; // of this page's drafts, once the studio has told it

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function write(draft) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft));
  } catch {
    return; // storage is off or full: the draft lasts as long as the page
  }
}

let tell;
export const drafts = {
  known: new Promise((resolve) => {
    tell = resolve;
  }), // resolved once it is known whose drafts these are
  /** What is kept of a part, {} until it is known to be this visitor's. */
  of: (part) => (owner && read()[part]) || {},
  /** Whose drafts are kept here, and what of a part: not to be shown before the studio has said that it is the same visitor. */
  unproven: (part) => ({ owner: read().owner ?? "", ...read()[part] }),
  keep: (part, values) => owner && write({ ...read(), [part]: values }),
  forget: (part) => drafts.keep(part, undefined),
  belongTo: (visitor) => {
    owner = visitor;
    if (read().owner !== owner) write({ owner });
    tell();
  },
};
