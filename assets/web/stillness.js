// A page that rests draws nothing. Gradio's line of progress counts seconds on every frame while an event is under way, here in components that
// show none, and that of its loading screen goes on for as long as the page is open: 60 frames a second. (statustracker, Gradio 6.31)

const COUNTS_SECONDS = /performance\.now\(\) ?- ?.{1,20}\/ ?1e3/;
const askNow = window.requestAnimationFrame.bind(window);

window.requestAnimationFrame = (draw) => (COUNTS_SECONDS.test(String(draw)) ? 0 : askNow(draw));
