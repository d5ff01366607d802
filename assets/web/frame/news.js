// News: at each tick of the page's timer the studio is asked whether anything is otherwise than this window shows (studio/ui/gradio/news.py). Only
// where something is, an event of Gradio's brings it.

import { choice } from "../choice/choice.js";
import { onMount } from "../kit/frame.js";
import { listeningTests } from "../tests/tests_tab.js";
import { doubtConnection } from "../transport/connection.js";
import { pageSession } from "../transport/page_session.js";

const ADDRESS = "studio/news";
const PATIENCE_MILLISECONDS = 30_000; // a connection may be gone without a word, as when a laptop slept

class News {
  constructor() {
    this._bring = null; // once its component is there
    this._isAsking = false;
  }

  open(trigger) {
    this._bring = () => trigger("bring");
  }

  // shown: what the window keeps of what it shows, in Python's order. A window that nobody sees asks nothing.
  async tick(shown) {
    if (document.hidden) return;
    listeningTests?.look();
    if (this._isAsking || !this._bring || !pageSession) return;
    this._isAsking = true;
    try {
      const asking = choice.asking();
      const answer = await this._ask(shown, asking ? { choice: asking.asked } : {}).catch(() => null);
      if (!answer) return await doubtConnection(); // the next tick asks again
      asking?.take(answer.told.choice);
      if (answer.is_any) this._bring();
    } finally {
      this._isAsking = false;
    }
  }

  // Rejects where the studio does not answer, or refuses.
  async _ask(shown, asked) {
    const body = JSON.stringify({ shown, asked, session_hash: pageSession });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(ADDRESS, { method: "POST", body, headers, signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }
}

export const news = new News();

onMount("news", ({ trigger }) => news.open(trigger));
