// How long what was said of a press at an engine's row holds: until the engine stands otherwise than the sentence says. Pure.

const HOLDS = {
  fetch: ["arriving"],
  cancel: ["arriving", "paused"],
  load: ["loading", "connecting"],
  "make-room": ["loading", "connecting"],
  unload: ["unloading", "idle"],
};

/** Whether the answer to a press still says how the engine is. */
export const stillHolds = (verb, standing) => HOLDS[verb]?.includes(standing) ?? true;
