// What the page runs: every script that takes over a component, and what tests and the lines of Python's `js=` reach by name.
import "./takes.js";
import "./connection.js";
import "./stillness.js";
import "./plain_copies.js";
import "./dock.js";
import "./head.js";
import "./space_note.js";
import "./player_view.js";
import "./result.js";
import "./api.js";
import "./engine_cards.js";
import { choice } from "./choice.js";
import { comparison } from "./compare.js";
import { composer } from "./composer.js";
import { creating, recorder } from "./creating.js";
import { ask } from "./frame.js";
import { GradioQueue, visitorHeaders } from "./gradio_queue.js";
import { RelayedSpeech, transport } from "./gradio_transport.js";
import { historyView } from "./history.js";
import { matrixView } from "./matrix.js";
import { news } from "./news.js";
import { offerUndo, say } from "./notices.js";
import { speakOptions } from "./options.js";
import { player } from "./player.js";
import { spectrogram } from "./player_view.js";
import { runs } from "./runs.js";
import { speaking } from "./speaking.js";
import { openSpeech } from "./speech_transport.js";
import { firstRoom } from "./tabs.js";
import { listeningTests } from "./tests_tab.js";
import { library } from "./voices.js";
import { words } from "./words.js";

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
