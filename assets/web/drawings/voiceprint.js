// The drawing that stands for a voice, made of the digest of its recording alone: the same recording, the same drawing, in any size.
// studio/speakers/voiceprint.py draws the same, byte for byte, and says where the numbers come from. It is known at a glance and proves nothing.
const BOX = 48; // the drawing's own units
const POINTS = 28; // of a contour, before it is smoothed
// Up to so many pixels: contours, and the width of their line.
const SIZES = [
  [20, 1, 4.5],
  [36, 2, 3.2],
  [48, 3, 2.4],
  [72, 4, 1.9],
  [Infinity, 5, 1.4],
];
const MOST_DRAWN = 400; // prints that are kept drawn; the one that was drawn first goes

// SVG as text. digest: hexadecimal, 20 digits or more, or "" for a tile without a drawing. It is read as numbers, so nothing needs escaping.
export function voiceprint(digest, pixels = 40) {
  const [, contours, width] = SIZES.find(([most]) => pixels <= most);
  const shape = digest ? shapeOf(digest) : null;
  const hue = shape ? ` hue-${shape.hue}` : "";
  const paths = shape
    ? Array.from({ length: contours }, (_, i) => `<path d="${closed(contour(shape, i / contours))}" stroke-width="${width}"/>`)
    : [];
  const kind = `print${hue}${contours === 1 ? " tiny" : ""}`;
  const box = `width="${pixels}" height="${pixels}" viewBox="0 0 ${BOX} ${BOX}"`;
  return `<svg class="${kind}" ${box} aria-hidden="true">${paths.join("")}</svg>`;
}

const drawn = new Map();

// The same as an element, drawn once and copied from then on.
export function printOf(digest, pixels = 40) {
  const key = `${digest} ${pixels}`;
  if (!drawn.has(key)) {
    if (drawn.size >= MOST_DRAWN) drawn.delete(drawn.keys().next().value);
    const template = document.createElement("template");
    template.innerHTML = voiceprint(digest, pixels);
    drawn.set(key, template.content.firstElementChild);
  }
  return drawn.get(key).cloneNode(true);
}

function shapeOf(digest) {
  const byte = (at) => Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16);
  const lobes = 2 + (byte(1) % 4);
  return {
    hue: byte(0) % 8,
    lobes,
    ripples: lobes + 1 + (byte(2) % 3),
    depth: 0.12 + (0.38 / lobes) * (0.4 + (0.6 * byte(3)) / 255),
    ripple: 0.02 + (0.07 * byte(4)) / 255,
    turn: (2 * Math.PI * byte(5)) / 255,
    shift: (2 * Math.PI * byte(6)) / 255,
    twist: (byte(7) / 255 - 0.5) * 0.5,
    lean: (byte(8) / 255 - 0.5) * 7,
    egg: (0.22 * byte(9)) / 255,
    eggTurn: (2 * Math.PI * (byte(9) % 16)) / 16,
  };
}

// Points of one contour. inward: 0 for the outline, towards 1 for the innermost, which swings less, or lines would cross.
function contour(shape, inward) {
  const { lobes, ripples, depth, ripple, turn, shift, twist, lean, egg, eggTurn } = shape;
  const radius = 18.5 * (1 - 0.92 * inward);
  const fade = 1 - 0.55 * inward;
  return Array.from({ length: POINTS }, (_, i) => {
    const at = (2 * Math.PI * i) / POINTS;
    const lobed = depth * Math.cos(lobes * (at - turn - twist * inward));
    const rippled = ripple * Math.cos(ripples * at + shift + 2 * twist * inward);
    const swing = lobed + rippled + egg * Math.cos(at - eggTurn);
    const r = (radius * (1 + fade * swing)) / (1 + 0.5 * (depth + ripple + egg));
    return [BOX / 2 + r * Math.cos(at) + 0.6 * lean * inward, BOX / 2 + r * Math.sin(at)];
  });
}

// A smooth closed line through the points: Catmull-Rom as cubic Béziers.
function closed(points) {
  const around = (i) => points[(i + POINTS) % POINTS];
  const said = (numbers) => numbers.map((number) => number.toFixed(1)).join(" ");
  const curves = points.map((b, i) => {
    const [a, c, d] = [around(i - 1), around(i + 1), around(i + 2)];
    return `C${said([b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6, c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6, ...c])}`;
  });
  return `M${said(points[0])}${curves.join("")}Z`;
}
