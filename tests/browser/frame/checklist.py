"""The checks of the page, by number: which tests hold each, what of it is measured and not asserted, and what is left out, in words.

The numbers are those of the proposal's list of end-to-end checks; 17, 19 to 22 belong to tabs and engines of their own.
"""

from dataclasses import dataclass

__all__ = ["CHECKLIST", "Check"]


@dataclass(frozen=True)
class Check:
    """claim: in short. tests: "file::test", several with spaces between, without ".py". otherwise: what no test of them holds, and why."""

    claim: str
    tests: str
    otherwise: str = ""


CLOCK = "No test asserts a time of this kind, since machines differ; `make page-figures` measures it, and the diary has the figures."

CHECKLIST: dict[int, Check] = {
    1: Check(
        "First visit: no complaint, no other host, words on every empty tab.",
        "test_speaking::test_every_tab_asks_no_other_host_and_complains_about_nothing "
        "test_accessibility::test_what_is_said_before_there_is_anything "
        "test_space::test_below_a_path_a_voice_is_created_exported_and_heard_again "
        "test_page::test_the_pages_own_files_name_no_foreign_host_but_the_one_that_may_read_a_message",
        f"Usable in 2.5 s: {CLOCK}",
    ),
    2: Check(
        "What is recorded is what the microphone gave: processing off, level within 0.5 dB, known SNR within 2 dB.",
        "test_recording::test_the_servers_clip_has_the_microphones_level_rate_and_noise "
        "test_recording::test_clipped_samples_are_counted_and_the_way_out_is_said "
        "test_journey::test_a_voice_is_recorded_created_spoken_and_heard",
        "48 kHz are not forced: the clip has the microphone's own rate, so that nothing is resampled. Chromium's fake one has 44.1 kHz and "
        "is compared sample by sample; one that says 48 kHz gives a clip of 48 kHz.",
    ),
    3: Check(
        "An insecure address: the microphone is explained, files and sound work.",
        "test_player::test_an_insecure_address_explains_the_microphone_and_still_plays",
        "The button is gone, not disabled: a button that can do nothing is no help.",
    ),
    4: Check(
        "A refused microphone leaves nothing stuck, and works once it is allowed.",
        "test_creating::test_a_refused_microphone_leaves_nothing_stuck_and_can_be_allowed_later "
        "test_creating::test_three_silent_seconds_are_told_with_the_name_of_the_input",
    ),
    5: Check(
        "A voice is created by keyboard alone, trimmed to 6.000 s, learned by two engines.",
        "test_creating::test_a_voice_is_created_by_keyboard_alone "
        "test_creating::test_one_engines_failure_stops_no_other_and_a_mended_clip_replaces_the_first",
    ),
    6: Check(
        "Sound begins while the engine still computes, by both transports.",
        "test_transports::test_sound_begins_before_the_engine_is_done",
        f"That it sounds while the engine is held in the middle is asserted; the 250 ms: {CLOCK}",
    ),
    7: Check(
        "What the timing card shows is what was, cold beside warm.",
        "test_speaking::test_cold_and_warm_stand_side_by_side_with_what_each_stage_took "
        "test_speaking::test_the_click_to_sound_that_is_shown_is_what_leaves_the_player",
        f"That it counts to the sample which leaves the player is asserted at the audio clock; 10 and 30 ms: {CLOCK}",
    ),
    8: Check(
        "A cell goes from none over extracting to memory with its file's bytes; hits by page and API; disk after a restart.",
        "test_cache::test_a_cell_goes_from_none_over_learning_to_memory_in_two_windows "
        "test_cache::test_hits_of_the_page_and_of_the_api_are_counted_in_every_window "
        "test_cache_truth::test_a_cells_bytes_are_its_files_and_a_restart_finds_them_on_disk",
    ),
    9: Check(
        "Evict, pin and out of date, the same in every window.",
        "test_cache::test_what_is_evicted_is_gone_from_memory_and_disk_and_the_next_speech_is_cold "
        "test_cache::test_a_pin_is_seen_and_taken_back_and_extracting_again_keeps_it "
        "test_cache::test_edited_words_make_a_cell_stale_in_every_window_and_extracting_again_mends_it",
        "Memory and file are forgotten by a button each.",
    ),
    10: Check(
        "Five speeches of a voice that nobody learned yet are one extraction.",
        "test_cache::test_five_parallel_speeches_of_an_uncached_voice_are_one_extraction",
    ),
    11: Check(
        "Eight voices at once, by page and API, keep their pitch.",
        "test_transports::test_every_voice_stays_its_own_while_others_speak",
    ),
    12: Check(
        "Stop is heard at once, reaches the engine, and leaves what was heard; so does closing the tab.",
        "test_player::test_stop_silences_the_page_at_once_and_reaches_the_engine test_player::test_escape_stops_before_there_is_any_sound "
        "test_transports::test_stop_reaches_the_engine_and_keeps_what_was_heard "
        "test_transports::test_stop_before_any_sound_reaches_a_silent_engine test_transports::test_a_closed_tab_ends_its_stream",
        f"100 ms of the audio clock to silence are asserted; 300 ms to the engine: {CLOCK}",
    ),
    13: Check(
        "The download is the API's file, byte by byte; what is quiet stays quiet.",
        "test_transports::test_the_download_is_the_apis_wav_of_the_same_seed_and_as_quiet "
        "test_transports::test_what_the_player_holds_is_what_the_api_sends "
        "test_player::test_the_download_holds_exactly_the_samples_of_the_stream",
    ),
    14: Check("One clip sounds at a time, and Escape stops it.", "test_library::test_only_one_recording_sounds_and_its_print_pauses_it"),
    15: Check(
        "Files that are too large or no audio are refused in words; of long ones the beginning is taken; a name of markup is text.",
        "test_creating::test_files_that_are_too_large_or_no_audio_are_refused_in_words "
        "test_creating::test_of_more_than_ten_minutes_the_beginning_is_taken_and_a_part_is_heard_and_kept "
        "test_creating::test_what_unpacks_to_hours_is_not_decoded_to_its_end "
        "test_page_gate::test_an_event_that_declares_too_much_is_refused_with_the_limit "
        "test_page_gate::test_an_event_that_declares_nothing_is_refused_while_it_is_read "
        "test_journey::test_a_name_of_markup_is_text_everywhere_and_its_voice_can_be_deleted "
        "test_cache::test_a_name_of_markup_is_text_in_its_row_and_card",
        "MP3 knows no 96 kHz: it is 48 kHz, its highest rate, and FLAC at 96 kHz.",
    ),
    16: Check(
        "No clip lies in a folder of Gradio's, in a browser, or where another page could ask for it.",
        "test_creating::test_the_clip_is_in_no_folder_of_uploads_at_any_time "
        "test_page_gate::test_nobody_can_put_a_file_into_a_folder_of_gradios "
        "test_page_gate::test_what_the_page_does_not_use_is_not_there test_page::test_nothing_is_recorded_or_phoned_home "
        "test_privacy::test_a_browser_keeps_no_sound test_privacy::test_a_clip_that_is_no_voice_yet_is_reached_by_its_own_page_alone "
        "test_privacy::test_without_a_key_no_voice_can_be_listed_heard_or_taken_away "
        "test_page_gate::test_another_sites_page_cannot_act_through_a_visitors_browser",
        "A studio has keys and no users: whoever has a key, or may reach a studio without one, shares its voices. Only clips that are no "
        "voice yet are somebody's own.",
    ),
    18: Check(
        "A bundle that went out comes back as the same voice, with what engines learned; a taken name is the person's choice; no pickles.",
        "test_library::test_a_bundle_goes_out_and_comes_back_as_chosen_and_a_pickle_does_not "
        "test_bundles::test_skip_changes_nothing_and_replace_brings_back_the_same_voice "
        "test_bundle::test_a_pickle_is_refused_by_name_and_by_content_and_never_opened "
        "test_bundle::test_no_prompt_is_taken_for_a_pickle_whatever_its_header_is_long",
    ),
    23: Check(
        "Axe finds nothing, nothing scrolls sideways at 390 px, less motion is honoured, the live region speaks.",
        "test_accessibility::test_the_tabs_of_a_full_studio_have_no_violation "
        "test_accessibility::test_the_tabs_of_an_empty_studio_have_no_violation "
        "test_accessibility::test_the_live_region_says_that_it_waits_plays_stops_and_fails "
        "test_accessibility::test_nothing_moves_for_whoever_asked_for_less_motion "
        "test_player::test_nothing_scrolls_sideways_and_everything_stays_in_sight",
        "The page speaks English only.",
    ),
    24: Check(
        "A Space below a path: Gradio's transport, relative addresses, the warning about its storage, on a bare CPU.",
        "test_space::test_a_space_below_a_path_speaks_through_gradio_and_warns_of_its_storage "
        "test_space::test_below_a_path_a_voice_is_created_exported_and_heard_again "
        "test_space::test_the_tab_api_says_the_address_below_the_path_and_its_documentation_runs "
        "test_space::test_page_and_api_are_on_one_port test_space::test_a_space_with_keys_is_closed_and_leaves_in_order_when_it_is_ended",
        "ZeroGPU, its fork and its quota are not part of it yet.",
    ),
}
