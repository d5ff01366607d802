// The page's icons. Each is drawn in a box of 24, of lines of 1.75 with round ends, in the words' colour;
// it says nothing to a screen reader, so what it stands for is said beside it or by a label.
const ICONS = {
  play: '<path d="M8 5.5v13l11-6.5z" fill="currentColor"/>',
  pause: '<path d="M9 6v12M15 6v12" stroke-width="3"/>',
  stop: '<rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor"/>',
  replay: '<path d="M19 12a7 7 0 1 1-2.2-5.1M19.5 4v4h-4"/>',
  repeat: '<path d="M17 4l3 3-3 3M4 12V9.5A2.5 2.5 0 0 1 6.5 7H20M7 20l-3-3 3-3M20 12v2.5a2.5 2.5 0 0 1-2.5 2.5H4"/>',
  microphone: '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>',
  volume: '<path d="M4 9.5v5h3.5l4.5 4v-13l-4.5 4zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11"/>',
  headphones:
    '<path d="M5 14v-2a7 7 0 0 1 14 0v2"/><rect x="3.5" y="14" width="4" height="6" rx="1.5"/><rect x="16.5" y="14" width="4" height="6" rx="1.5"/>',
  wave: '<path d="M4 12h.01M8 8v8M12 4.5v15M16 8v8M20 12h.01"/>',
  upload: '<path d="M12 16V5M7.5 9 12 4.5 16.5 9M5 15.5V19h14v-3.5"/>',
  download: '<path d="M12 4.5V15M7.5 11l4.5 4.5 4.5-4.5M5 19.5h14"/>',
  up: '<path d="m6 14.5 6-6 6 6"/>',
  down: '<path d="m6 9.5 6 6 6-6"/>',
  left: '<path d="m14.5 6-6 6 6 6"/>',
  right: '<path d="m9.5 6 6 6-6 6"/>',
  more: '<path d="M5.5 12h.01M12 12h.01M18.5 12h.01" stroke-width="2.8"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  close: '<path d="m6.5 6.5 11 11M17.5 6.5l-11 11"/>',
  search: '<circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5 5"/>',
  sliders: '<path d="M4 8h9M17 8h3M4 16h3M11 16h9"/><circle cx="15" cy="8" r="2"/><circle cx="9" cy="16" r="2"/>',
  info: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5M12 8v.01"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.01"/>',
  help: '<path d="M9 9.2a3 3 0 1 1 3 3.3V14M12 17.5v.01"/>',
  star: '<path d="m12 4 2.5 5.1 5.6.8-4 4 .9 5.6-5-2.7-5 2.7.9-5.6-4-4 5.6-.8z"/>',
  pin: '<path d="M9 4h6l-1 6 3 3.5H7l3-3.5zM12 13.5V20"/>',
  pencil: '<path d="m5 19 .8-3.8L16 5l3 3L8.8 18.2zM13.5 7.5l3 3"/>',
  trash: '<path d="M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7"/>',
  copy: '<rect x="9" y="9" width="10.5" height="10.5" rx="2"/><path d="M6 15H4.5V6.5a2 2 0 0 1 2-2H15V6"/>',
  scissors: '<circle cx="6.5" cy="7" r="2.5"/><circle cx="6.5" cy="17" r="2.5"/><path d="m8.5 8.5 11 8M8.5 15.5l11-8"/>',
  link: '<path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6L12 7.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.6l1.4-1.4"/>',
  lock: '<rect x="5.5" y="11" width="13" height="9" rx="2"/><path d="M8.5 11V8a3.5 3.5 0 0 1 7 0v3"/>',
  dice: '<rect x="4.5" y="4.5" width="15" height="15" rx="3"/><path d="M9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01" stroke-width="2.4"/>',
  grid: [4.5, 13.5].map((y) => [4.5, 13.5].map((x) => `<rect x="${x}" y="${y}" width="6" height="6" rx="1"/>`).join("")).join(""),
  list: '<path d="M4.5 7h15M4.5 12h15M4.5 17h15"/>',
  code: '<path d="m8.5 7-5 5 5 5M15.5 7l5 5-5 5"/>',
  leave: '<path d="M13.5 4.5H6v15h7.5M10.5 12H20M16.5 8.5 20 12l-3.5 3.5"/>',
  clock: '<circle cx="12" cy="12" r="8"/><path d="M12 7.5V12l3 2"/>',
};

const SVG = "http://www.w3.org/2000/svg";
const STROKE = { fill: "none", stroke: "currentColor", "stroke-width": 1.75, "stroke-linecap": "round", "stroke-linejoin": "round" };

export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  Object.assign(svg.style, { width: `${size}px`, height: `${size}px` }); // beats the styles' usual size
  return filled(svg, name);
}

// Draws what markup asks for: <svg class="icon" data-icon="play"></svg>, in the size that the styles give.
export function fillIcons(root = document) {
  for (const svg of root.querySelectorAll("svg[data-icon]:empty")) filled(svg, svg.dataset.icon);
}

function filled(svg, name) {
  for (const [attribute, value] of Object.entries(STROKE)) svg.setAttribute(attribute, value);
  if (!ICONS[name]) throw new Error(`no icon is called "${name}"`);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = ICONS[name];
  return svg;
}
