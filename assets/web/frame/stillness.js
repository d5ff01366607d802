// A page that rests draws nothing. Gradio's line of progress counts seconds on every frame while an event is under way, here in components that
// show none, and that of its loading screen goes on for as long as the page is open: 60 frames a second. The loader on that screen swings on,
// unseen, until its springs are at rest, 220 frames after it is gone: they move by steps of half a second, which nobody sees either. And a page
// that is in no frame looks 60 times for what would resize its frame. (statustracker and Blocks, Gradio 6.31; the loop of springs, Svelte 5)

const COUNTS_SECONDS = /performance\.now\(\) ?- ?.{1,20}\/ ?1e3/;
const LOOKS_FOR_ITS_FRAME = /\+\+ ?< ?60 ?&& ?\(/;
const SWINGS = /\.tasks\.forEach\(/;
const STEP_MILLISECONDS = 500;
const askNow = window.requestAnimationFrame.bind(window);
const isFramed = window.parent !== window;

window.requestAnimationFrame = (draw) => {
  const text = String(draw);
  if (COUNTS_SECONDS.test(text) || (!isFramed && LOOKS_FOR_ITS_FRAME.test(text))) return 0;
  if (!SWINGS.test(text)) return askNow(draw);
  setTimeout(draw, STEP_MILLISECONDS);
  return 0;
};
