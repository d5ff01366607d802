// The sounds of an evaluation's report: players where somebody looks, another order, or some of the sounds alone. The report stands without
// it. It is written into the page, which may lie in a mail: it imports nothing.

{
  const form = document.getElementById("choose");
  const place = document.getElementById("sounds");
  const groups = place ? [...place.children] : [];

  // Far enough ahead that keys and a quick scroll meet them.
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        for (const kept of target.querySelectorAll("noscript")) {
          const player = new DOMParser().parseFromString(kept.textContent ?? "", "text/html").querySelector("audio");
          if (player) kept.replaceWith(player);
        }
      }
    },
    { rootMargin: "1200px" },
  );
  for (const group of groups) near.observe(group);

  /** @param {string} name of a choice @returns {string} what is chosen, "" for all. */
  const chosen = (name) => /** @type {HTMLSelectElement | null} */ (form?.querySelector(`[name="${name}"]`))?.value ?? "";

  /** Worst first: a minus before the name stands for "more is worse". What was not measured stands at the end. */
  const sort = () => {
    const order = chosen("order");
    const name = `data-${order.replace(/^-/, "")}`;
    const rank = (/** @type {Element} */ group) => {
      const value = group.getAttribute(name);
      return value === null ? Number.POSITIVE_INFINITY : (order.startsWith("-") ? -1 : 1) * Number(value);
    };
    const plan = (/** @type {Element} */ group) => Number(group.getAttribute("data-plan"));
    groups.sort((one, other) => rank(one) - rank(other) || plan(one) - plan(other));
    place?.append(...groups);
  };

  const show = () => {
    let n = 0;
    for (const group of groups) {
      const fits = ["voice", "language", "faulty"].every((name) => ["", group.getAttribute(`data-${name}`)].includes(chosen(name)));
      /** @type {HTMLElement} */ (group).hidden = !fits;
      n += Number(fits);
    }
    const told = form?.querySelector("output");
    if (told) told.textContent = n === groups.length ? "" : `${n} / ${groups.length}`;
  };

  form?.addEventListener("change", (event) => {
    if (/** @type {HTMLSelectElement} */ (event.target).name === "order") sort();
    show();
  });
  form?.addEventListener("submit", (event) => event.preventDefault());
  // One sound at a time.
  document.addEventListener(
    "play",
    (event) => {
      for (const other of document.querySelectorAll("audio")) if (other !== event.target) other.pause();
    },
    true,
  );
  form?.removeAttribute("hidden");
}
