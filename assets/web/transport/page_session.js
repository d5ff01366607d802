// The page's own session in Gradio: by it the studio knows whose page asks, where a browser keeps no cookie.

export let pageSession;

/** Whether a browser surely keeps a cookie: in another site's frame perhaps not, and then only that session says who somebody is. */
export const keepsCookie = window.parent === window && navigator.cookieEnabled;

/** From now on it is known; undefined until then. */
export function beginSession(name) {
  pageSession = name;
}
