// What the page runs: every script that takes over a component, and what tests and the lines of Python's `js=` reach by name.
import "./frame/first.js";
import "./frame/space_note.js";
import "./frame/api.js";
import "./design/designing.js";
import "./engines/engine_cards.js";
import "./voices/aliases.js";
import "./kit/long_select.js";
import "./scripts/scripts_room.js";
import { choice } from "./choice/choice.js";
import { speakOptions } from "./choice/options.js";
import { comparison } from "./compare/compare.js";
import { creating, recorder } from "./create/creating.js";

import { matrixView } from "./engines/matrix.js";
import { news } from "./frame/news.js";
import { keepLanguage } from "./frame/page_language.js";
import { historyView } from "./history/history.js";
import { ask } from "./kit/library.js";
import { offerUndo, say } from "./kit/notices.js";
import { firstRoom } from "./kit/tabs.js";
import { player } from "./sound/player.js";
import { spectrogram } from "./sound/player_view.js";
import { composer } from "./speak/composer.js";
import { runs } from "./speak/runs.js";
import { speaking } from "./speak/speaking.js";
import { listeningTests } from "./tests/tests_tab.js";
import { GradioQueue, visitorHeaders } from "./transport/gradio_queue.js";
import { RelayedSpeech, transport } from "./transport/gradio_transport.js";
import { openSpeech } from "./transport/speech_transport.js";
import { library } from "./voices/voices.js";
import { words } from "./words/words.js";

keepLanguage(document.documentElement);
window.studioPlayer = player;
// Getters, since most of it is there once its component is.
window.studio = {
  ask,
  offerUndo,
  openSpeech,
  say,
  visitorHeaders,
  words,
  GradioQueue,
  RelayedSpeech,
  get firstRoom() {
    return firstRoom;
  },
  choice,
  news,
  runs,
  get comparison() {
    return comparison;
  },
  get composer() {
    return composer;
  },
  get creating() {
    return creating;
  },
  get history() {
    return historyView;
  },
  get matrix() {
    return matrixView;
  },
  get options() {
    return speakOptions;
  },
  get recorder() {
    return recorder;
  },
  get speaking() {
    return speaking;
  },
  get listeningTests() {
    return listeningTests;
  },
  get spectrogram() {
    return spectrogram;
  },
  get transport() {
    return transport;
  },
  get voices() {
    return library;
  },
};
