// What cannot change needs no copy. Svelte copies the state of a component word by word and number by number (`$state.snapshot`), and Gradio asks
// for that of every component at each event: thousands of messages a second that nobody sends. (Svelte 5, Gradio 6.31)

const copyOf = window.structuredClone.bind(window);
const CHANGING = new Set(["object", "function", "symbol"]); // of the last two there is no copy, and that is said as ever

window.structuredClone = (value, options) => (value === null || !CHANGING.has(typeof value) ? value : copyOf(value, options));
