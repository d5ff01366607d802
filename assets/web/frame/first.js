// What the first screen runs: to write and to speak, before the scripts of all other tabs have come, and Gradio's. What Gradio shall find otherwise
// than it is by itself is here as well, since this runs before it. The first screen itself comes last: it hands its parts to all others.
import "../speak/takes.js";
import "../transport/connection.js";
import "./stillness.js";
import "./plain_copies.js";
import "./dock.js";
import "./places.js";
import "./head.js";
import "../sound/player_view.js";
import "../speak/result.js";
import "../speak/composer.js";
import "./first_screen.js";
