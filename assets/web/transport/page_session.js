// The page's own session in Gradio: by it the studio knows whose page asks, where a browser keeps no cookie.

export let pageSession;

/** From now on it is known; undefined until then. */
export function beginSession(name) {
  pageSession = name;
}
