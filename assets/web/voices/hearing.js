// What of a voice was recorded is heard: the voice itself, and the consent of whose voice it is.

import { listen } from "../sound/listening.js";
import { player } from "../sound/player.js";
import { words } from "../words/words.js";

export const PLACE = "voices-message"; // of what goes wrong

/** Of a voice's play button. */
export const keyOf = (name) => `recording of ${name}`;

/** The recording of a voice. */
export function hear({ name, print }) {
  toggle(keyOf(name), `v1/audio/voices/${encodeURIComponent(name)}/audio`, words("voices.recording_of", { name }), {
    voice: name,
    print,
    engineTitle: words("voices.the_recording"),
  });
}

/** The sentence of consent, of a voice that has one recorded. */
export function hearConsent({ name, print, consent }) {
  toggle(`consent of ${name}`, `v1/audio/voice_consents/${consent.id}/audio`, words("voices.consent_of", { name }), {
    voice: name,
    print,
    engineTitle: words("voices.the_consent"),
  });
}

function toggle(key, path, label, about) {
  player.togglePlay(key, () => listen(path, { label, key, about }, PLACE));
}
