// The head: a chip that says how the engines are and leads to them, and the sheet with keys, versions and licences.

import { hereOf, showMore } from "../choice/engines_here.js";
import { showState } from "../drawings/states.js";
import { licenceLinks } from "../engines/terms.js";
import { make, onMount } from "../kit/frame.js";
import { openHashOf } from "../navigation/address.js";
import { openDialog, openRoom, placeNow } from "../navigation/navigation.js";
import { seeAsVisitor, words } from "../words/words.js";
import { standing } from "./engines_standing.js";
import { belongTo } from "./places.js";

function versionsOf({ version, licence, engines }) {
  const rows = [[words("frame.version", { version }), licence]];
  for (const { title: engine, state, revision, terms, elsewhere } of hereOf(engines)) {
    const loaded = state === "ready" ? words("frame.engine_loaded", { engine, revision }) : engine;
    const traces = elsewhere?.leaves_traces ? [` · ${words("speak.traces")}`] : [];
    rows.push([elsewhere ? words("frame.engine_elsewhere", { engine }) : loaded, ...licenceOf(terms), ...traces]);
  }
  return rows.flatMap(([name, ...said]) => [make("dt", { textContent: name }), make("dd", {}, ...said)]);
}

function licenceOf({ licences, attribution }) {
  return [...licenceLinks(licences), ...(attribution ? [` · ${attribution}`] : [])];
}

// login: { name } where there is one, with null for who has not signed in.
function showLogin(link, login) {
  link.hidden = !login;
  if (!login) return;
  const { name } = login;
  link.classList.toggle("quiet", Boolean(name));
  link.querySelector(".icon").toggleAttribute("hidden", !name);
  link.querySelector(".cut").textContent = name || words("frame.sign_in_short");
  link.title = name ? words("frame.sign_out", { name }) : words("frame.sign_in");
  if (name) link.setAttribute("aria-label", link.title);
  else link.removeAttribute("aria-label");
  const back = encodeURIComponent(location.pathname + location.search + openHashOf(placeNow()));
  link.href = `${name ? "logout" : "login/huggingface"}?_target_url=${back}`;
}

onMount("head", ({ element, props, watch, joined }) => {
  const [chip, login, open] = ["#head-engines", "#login", "#help-open"].map((part) => element.querySelector(part));
  const [sheet, versions, end] = ["#help", "#help-versions", ".head-end"].map((part) => element.querySelector(part));
  const rowOf = () => element.closest("#masthead, .first-masthead");
  let isAway = false;

  function show() {
    const { value } = props;
    belongTo(value?.space);
    seeAsVisitor(Boolean(value?.is_visitor));
    chip.hidden = !value && !isAway;
    showLogin(login, value?.login);
    if (!chip.hidden) showState(chip.querySelector(".chip"), ...standing(value?.engines ?? [], isAway));
    fit();
  }

  // How much of the line the tabs leave free at its end, whatever stands there. Where all of it is too long for them, signs say it alone.
  function fit() {
    end.dataset.short = "false";
    measure();
    if (!isTooLong()) return;
    end.dataset.short = "true";
    measure();
  }

  function isTooLong() {
    const tabs = document.querySelector('.first-tabs .tab-list, #tabs [role="tablist"]');
    const isOverEdge = end.getBoundingClientRect().right > rowOf().getBoundingClientRect().right + 1;
    return isOverEdge || (tabs && tabs.scrollWidth > tabs.clientWidth);
  }

  function measure() {
    const width = rowOf().getBoundingClientRect().right - end.getBoundingClientRect().left;
    document.documentElement.style.setProperty("--head-end", `${Math.ceil(width)}px`);
  }

  document.addEventListener("studio-connection", ({ detail: state }) => {
    isAway = ["away", "refused"].includes(state);
    show();
  });
  document.addEventListener("studio-place", show);
  chip.addEventListener("click", () => openRoom("cache"));
  open.addEventListener("click", () => {
    if (props.value) {
      versions.replaceChildren(...versionsOf(props.value));
      showMore(sheet.querySelector(".more-line"), props.value.engines);
    }
    openDialog(sheet);
  });
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close()); // beside it, on its backdrop

  const resized = new ResizeObserver(fit);
  resized.observe(rowOf());
  joined.then(() => resized.observe(rowOf())); // Gradio's, in which it stands from then on
  watch("value", show);
  show();
});
