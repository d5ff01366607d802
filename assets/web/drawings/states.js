// The states of the page: the shape that stands for each. A word goes with it, in a chip or in the label of what it is in.

const LINE = 'fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"';
const BOLD = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"';
const RING = `<circle cx="7" cy="7" r="4.3" ${LINE}`;
const TRIANGLE = `<path d="M7 1.8 12.8 12H1.2zM7 5.6v2.8M7 10v.2" ${LINE}/>`;
// What an engine knows of a voice, and how a fact stands.
const SHAPES = {
  memory: '<circle cx="7" cy="7" r="5" fill="currentColor"/>',
  refining: `${RING}/><circle cx="7" cy="7" r="2" fill="currentColor"/>`,
  disk: `${RING}/><path d="M7 2.7a4.3 4.3 0 0 0 0 8.6z" fill="currentColor"/>`,
  none: `${RING} stroke-dasharray="2.2 1.66"/>`,
  learning: `<path d="M7 2.2A4.8 4.8 0 1 1 2.2 7" ${BOLD}/>`,
  stale: TRIANGLE,
  care: TRIANGLE,
  failed: `<path d="m3.2 3.2 7.6 7.6M10.8 3.2l-7.6 7.6" ${BOLD}/>`,
  unsupported: `<path d="M3 7h8" ${BOLD}/>`,
  good: `<path d="m2.5 7.5 3 3 6-6.5" ${BOLD}/>`,
};

// The <svg> of a state, coloured by it (`.st` of parts.css).
export function shape(state) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("class", "st");
  svg.setAttribute("aria-hidden", "true");
  svg.dataset.state = state;
  svg.innerHTML = SHAPES[state] ?? "";
  return svg;
}

export function chip(state, words) {
  const element = document.createElement("span");
  element.className = "chip";
  showState(element, state, words);
  return element;
}

// Makes a `.chip` say a state; nothing is touched where it says that already, so that its sign goes on turning.
export function showState(element, state, words) {
  if (element.dataset.state === state && element.textContent === words) return;
  const word = document.createElement("span");
  word.textContent = words;
  element.dataset.state = state;
  element.replaceChildren(shape(state), word);
}
