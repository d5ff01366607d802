// Leads to a place within a room, which may come only with the room.

import { openRoom } from "./navigation.js";

const LOOK_MILLISECONDS = 5000; // how long a place is waited for

/** Opens a room at the first of these places that can be seen, once any of them can, and gives it the focus. places: selectors. where: as
 *  scrollIntoView has it. */
export function leadTo(room, places, where) {
  openRoom(room);
  const until = performance.now() + LOOK_MILLISECONDS;
  const look = () => {
    const place = places.map((one) => document.querySelector(one)).find((one) => one?.checkVisibility());
    if (!place) return performance.now() < until && requestAnimationFrame(look);
    place.scrollIntoView(where);
    return place.focus({ preventScroll: true });
  };
  look();
}
