// The dock at the window's lower edge: says how high it is, so that nothing which the keyboard reaches comes to lie behind it.

function measure(dock) {
  document.documentElement.style.setProperty("--dock", `${Math.ceil(dock.getBoundingClientRect().height)}px`);
}

const arriving = new MutationObserver(() => {
  const dock = document.querySelector("#player");
  if (!dock) return;
  arriving.disconnect();
  new ResizeObserver(() => measure(dock)).observe(dock);
});
arriving.observe(document, { subtree: true, childList: true });
