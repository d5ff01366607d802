// Addresses: what stands behind the "#" of the page's address. A room alone ("#voices"), or a thing in it ("#history/3f2a"). No server is told of
// it, and no other site by a Referer; a proxy's path and the page's query stay as they are.

export const FIRST_ROOM = "speak"; // of an address without a "#"
const WITH_THINGS = ["voices", "history", "scripts", "tests", "compare"];
const WRITTEN = /^#([a-z]+)(?:\/(.*))?$/s;
const ID = /^[\w-]{0,64}(?:\/[\w-]{1,64})?$/; // a thing, and one in it, that say nothing of themselves: no text, and no name that somebody gave

/** {room, thing} of a hash, thing "" for the room alone; null where it is written as no address is. */
export function placeOf(hash) {
  if (hash.length < 2) return { room: FIRST_ROOM, thing: "" };
  const [, room = "", thing = ""] = WRITTEN.exec(hash) ?? [];
  return room && (!thing || WITH_THINGS.includes(room)) ? { room, thing } : null;
}

export const hashOf = ({ room, thing }) => (thing ? `#${room}/${thing}` : `#${room}`);

/** The hash that other sites may see, as the one in whose frame the page stands: without a thing that holds words. */
export const openHashOf = ({ room, thing }) => hashOf({ room, thing: ID.test(thing) ? thing : "" });

export const isSamePlace = (one, other) => one?.room === other?.room && one?.thing === other?.thing;
