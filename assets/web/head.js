// The head: a chip that says how the engines are and leads to them, and the sheet with keys, versions and licences.
import { make, onMount } from "./frame.js";
import { showState } from "./states.js";

const LEADS_TO = "#cache-section-button";

// [state, words] of the chip. The first of these that is so: the studio is gone, an engine loads, its weights arrive, some are loaded.
function standing(engines, isAway) {
  const loading = engines.find(({ state }) => state === "loading");
  const arriving = engines.find(({ fetching }) => fetching);
  const n = engines.filter(({ state }) => state === "ready").length;
  if (isAway) return ["care", "Offline"];
  if (loading) return ["learning", `Loading ${loading.title}`];
  if (arriving) return ["learning", `Getting ${arriving.title}${arriving.percent === null ? "" : ` ${arriving.percent} %`}`];
  if (n) return ["memory", n === 1 ? "1 engine loaded" : `${n} engines loaded`];
  return ["none", "No engine"];
}

function versionsOf({ version, licence, engines }) {
  const rows = [[`Voice studio ${version}`, licence]];
  for (const engine of engines) {
    const revision = engine.state === "ready" ? `, loaded, revision ${engine.revision}` : "";
    rows.push([`${engine.title}${revision}`, engine.licence]);
  }
  return rows.flatMap(([name, licence]) => [make("dt", { textContent: name }), make("dd", { textContent: licence })]);
}

onMount("head", ({ element, props, watch }) => {
  const [chip, open, sheet, versions, end] = ["#head-engines", "#help-open", "#help", "#help-versions", ".head-end"].map((part) =>
    element.querySelector(part),
  );
  let isAway = false;

  function show() {
    const { value } = props;
    chip.hidden = !value && !isAway;
    if (!chip.hidden) showState(chip.querySelector(".chip"), ...standing(value?.engines ?? [], isAway));
  }

  document.addEventListener("studio-connection", ({ detail: state }) => {
    isAway = ["away", "refused"].includes(state);
    show();
  });
  chip.addEventListener("click", () => document.querySelector(LEADS_TO).click());
  open.addEventListener("click", () => {
    if (props.value) versions.replaceChildren(...versionsOf(props.value));
    sheet.showModal();
  });
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close()); // beside it, on its backdrop

  // How much of the line the tabs leave free at its end, whatever stands there.
  const row = element.closest("#masthead");
  const measure = () => {
    const width = row.getBoundingClientRect().right - end.getBoundingClientRect().left;
    document.documentElement.style.setProperty("--head-end", `${Math.ceil(width)}px`);
  };
  new ResizeObserver(measure).observe(end);
  watch("value", show);
  show();
});
