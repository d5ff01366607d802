// What an element shows already, so that an update touches only what is another.

const shown = new WeakMap();

// Whether `element` shows something else than this; remembers that it shows this now.
export function shownChanges(element, value) {
  const written = JSON.stringify(value);
  if (shown.get(element) === written) return false;
  shown.set(element, written);
  return true;
}
