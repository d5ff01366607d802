// The tab "Scripts": one of three views is seen, the list, a new script, or the editor of one.

import "../words/later_catalog.js";
import { onMount } from "../kit/frame.js";

onMount("scripts", () => {});
