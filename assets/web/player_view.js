// The player bar: buttons, waveform, clock, figures and the line that a screen reader speaks. It shows the player and decides nothing.

import { onMount } from "./frame.js";
import { mountStrip } from "./notices.js";
import { player } from "./player.js";
import { Spectrogram } from "./spectrogram.js";
import { Waveform } from "./waveform.js";

export let spectrogram;

const STATUS = {
  empty: () => "Nothing played yet.",
  waiting: ({ label }) => `${label}: waiting for the first sound.`,
  playing: ({ label, failure, seconds }) =>
    failure ? `${label}: broken off after ${seconds.toFixed(1)} s of audio; what came is played to its end.` : `${label}: playing.`,
  ended: ({ label, seconds }) => `${label}: finished, ${seconds.toFixed(1)} s.`,
  stopped: ({ label, heardSeconds }) => `${label}: stopped after ${(heardSeconds ?? 0).toFixed(1)} s.`,
  failed: ({ label, seconds }) =>
    seconds ? `${label}: ended by an error after ${seconds.toFixed(1)} s of audio.` : `${label}: nothing to hear.`,
};

const clock = (seconds) => `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
export const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const fileNameOf = (label) => `${label.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "speech"}.wav`;

// One figure for each thing that was measured.
function figuresOf(session) {
  const figures = [];
  const facts = session.facts;
  if (facts?.cache) figures.push(["cache", facts.cache]);
  if (facts?.ttfpMilliseconds != null) figures.push(["server TTFP", milliseconds(facts.ttfpMilliseconds)]);
  for (const name of ["load", "extract"]) {
    const stage = facts?.stages.get(name);
    if (stage) figures.push([name, milliseconds(stage.milliseconds)]);
  }
  if (facts && session.firstSoundMilliseconds !== null) figures.push(["click to sound", milliseconds(session.firstSoundMilliseconds)]);
  if (session.samples) figures.push(["underruns", session.underruns], ["rate", `${session.sampleRate} Hz`]);
  return figures;
}

function showFigures(list, session) {
  list.replaceChildren(
    ...figuresOf(session).map(([name, value]) => {
      const figure = document.createElement("div");
      figure.append(document.createElement("dt"), document.createElement("dd"));
      figure.firstChild.textContent = name;
      figure.lastChild.textContent = value;
      return figure;
    }),
  );
}

function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(player.wav());
  link.download = fileNameOf(player.session.label);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Runs a function in the next frame, once however often it is asked for; at once where nobody waits for a sound.
const asked = new Set();
export const later = (draw) => {
  if (!["waiting", "playing"].includes(player.state)) {
    asked.delete(draw);
    return draw();
  }
  if (asked.has(draw)) return undefined;
  asked.add(draw);
  return requestAnimationFrame(() => asked.delete(draw) && draw());
};

onMount("player", ({ element }) => {
  mountStrip(element.querySelector("#strip"));
  const part = (name) => element.querySelector(`#player-${name}`);
  const [toggle, again, wave, time, volume, save] = ["stop", "replay", "wave", "time", "volume", "download"].map(part);
  const [status, figures] = ["status", "figures"].map(part);
  const [spectrum, view] = ["spectrogram", "view"].map(part);
  const waveform = new Waveform(wave);
  const picture = new Spectrogram(spectrum);
  let frame = null; // one at a time: each change of state asks for one

  function tick() {
    frame = null;
    const shown = spectrum.hidden ? waveform : picture;
    shown.playedSeconds = player.heardSeconds;
    shown.draw();
    const words = `${clock(player.heardSeconds)} / ${clock(player.session?.seconds ?? 0)}`;
    if (time.textContent !== words) time.textContent = words; // it changes six times less often than the picture
    if (player.state === "playing" || (shown === picture && picture.behind)) frame = requestAnimationFrame(tick);
  }

  // While somebody waits for the first sound, whatever can be drawn later is.
  function draw() {
    if (frame !== null) cancelAnimationFrame(frame);
    if (["waiting", "playing"].includes(player.state)) frame = requestAnimationFrame(tick);
    else tick();
  }

  function show() {
    if (player.session) later(showSession);
    const active = ["waiting", "playing"].includes(player.state);
    const words = STATUS[player.state](player.session ?? {});
    if (status.textContent !== words) status.textContent = words; // the same words again would be spoken again
    toggle.disabled = !active;
    again.disabled = active || !player.session?.samples;
    save.disabled = !player.session?.samples;
    element.dataset.state = player.state;
  }

  function showSession() {
    showFigures(figures, player.session);
    draw();
  }

  player.addEventListener("start", () => {
    for (const one of [waveform, picture]) one.clear(player.session.sampleRate);
  });
  player.addEventListener("chunk", (event) => {
    waveform.add(event.detail);
    picture.add(event.detail);
    save.disabled = false;
  });
  player.addEventListener("change", show);
  toggle.addEventListener("click", () => player.stop());
  again.addEventListener("click", () => player.replay());
  save.addEventListener("click", download);
  view.addEventListener("click", () => {
    spectrum.hidden = !spectrum.hidden;
    wave.hidden = !spectrum.hidden;
    view.setAttribute("aria-pressed", String(!spectrum.hidden));
    draw();
  });
  volume.addEventListener("input", () => {
    player.volume = volume.valueAsNumber / 100;
  });
  spectrogram = picture;
  show();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") player.stop();
});
