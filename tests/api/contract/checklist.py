"""The conformance checklist of vLLM-Omni's speech API, numbers 1 to 144: which test holds each, or why none does yet.

A value is "file::test" (several with spaces between), without the ".py"; "differs: <reason>" where a number does not apply.
"""

__all__ = ["CHECKLIST"]

REMOTE, LOCAL = "test_remote_audio", "test_local_audio"
ROUTING, REQUEST, REFERENCE, ANSWERS = "test_routing", "test_speech_request", "test_reference_audio", "test_answers"
STREAMING, HANG_UP, UPLOAD, VOICES = "test_streaming", "test_hang_up", "test_upload", "test_voices"
SOCKET, BARGE_IN, ENDINGS = "test_websocket", "test_websocket_barge_in", "test_websocket_endings"
GATE, METRICS, BATCH = "test_gate", "test_metrics", "test_batch"
CACHE, RESTORE, FAULTS, SHARING, QUARANTINE = (
    "test_cache", "test_store_restore", "test_store_faults", "test_store_sharing", "test_store_quarantine"
)  # fmt: skip

OMNI, STRICT = "test_vllm_omni_round_trip", "test_strict_compat::test_what_vllm_omni_refuses_is_refused_alike"

CHECKLIST: dict[int, str] = {
    # A. Health, models, routing
    1: f"{ROUTING}::test_a_ready_engine_is_plain_healthy",
    2: f"{ROUTING}::test_nothing_loaded_is_unhealthy_and_says_so "
    f"{ROUTING}::test_a_failed_engine_is_unhealthy_with_its_reason_and_the_command_that_mends_it",
    3: f"{ROUTING}::test_health_and_models_answer_while_weights_load",
    4: f"{ROUTING}::test_models_lists_every_engine_in_the_openai_shape",
    5: f"{ROUTING}::test_created_of_a_model_does_not_move",
    6: f"{ROUTING}::test_unknown_routes_carry_detail_and_envelope {ROUTING}::test_wrong_methods_carry_allow_detail_and_envelope {STRICT}",
    7: f"{ROUTING}::test_unknown_routes_carry_detail_and_envelope {ROUTING}::test_wrong_methods_carry_allow_detail_and_envelope",
    8: f"{ROUTING}::test_a_trailing_slash_is_redirected",
    9: f"{GATE}::test_without_a_key_every_path_below_v1_is_401_in_vllms_words "
    f"{GATE}::test_any_key_opens_and_health_metrics_and_documentation_need_none",
    10: f"{GATE}::test_a_socket_without_a_key_is_refused_before_its_upgrade "
    "test_access::test_any_of_the_keys_is_admitted_as_a_bearer_token_and_nothing_else",
    # B. Speech: request validation
    11: f"{REQUEST}::test_input_alone_is_enough",
    12: f"{REQUEST}::test_missing_input_is_400_in_vllms_words {STRICT}",
    13: f"{REQUEST}::test_blank_input_is_refused",
    14: f"{REQUEST}::test_input_of_another_type_is_refused",
    15: f"{REQUEST}::test_broken_json_is_refused",
    16: f"{REQUEST}::test_other_content_types_are_refused",
    17: f"{REQUEST}::test_unknown_fields_are_ignored",
    18: f"{REQUEST}::test_an_unknown_model_is_404",
    19: f"{ROUTING}::test_a_model_routes_to_its_engine",
    20: f"{REQUEST}::test_aac_is_refused_by_a_strictly_compatible_server_in_vllms_words "
    f"{REQUEST}::test_aac_is_refused_where_ffmpeg_has_no_encoder_for_it {ANSWERS}::test_aac_decodes_to_the_same_tone",
    21: f"{REQUEST}::test_speed_has_bounds_and_null_is_one",
    22: f"{REQUEST}::test_double_speed_halves_the_duration {REQUEST}::test_an_engine_with_one_pace_is_stretched_in_its_own_pitch",
    23: f"{REQUEST}::test_a_native_speed_works_in_streams_and_for_one_character "
    f"{REQUEST}::test_stretched_speech_is_streamed_and_equals_the_whole "
    f"{REQUEST}::test_one_sample_of_an_engine_with_one_pace_can_be_stretched test_time_stretch::test_any_length_from_one_sample_works",
    24: f"{REQUEST}::test_voice_takes_an_object_with_id",
    25: f"{REQUEST}::test_speaker_is_another_name_and_voice_wins",
    26: f"{REQUEST}::test_default_means_no_voice_in_particular {BATCH}::test_default_means_no_voice_in_particular "
    f"{SOCKET}::test_default_means_no_voice_in_particular",
    27: f"{REQUEST}::test_an_unknown_voice_is_refused_with_the_built_in_ones "
    f"{REQUEST}::test_an_unknown_voice_of_a_cloning_engine_is_refused_with_the_way_to_make_one",
    28: f"{REQUEST}::test_spellings_of_a_name_are_one_voice",
    29: f"{REQUEST}::test_any_of_seven_rates_is_honored",
    30: f"{REQUEST}::test_max_new_tokens_has_bounds_and_is_reported_where_it_cannot_be_heeded",
    31: f"{REQUEST}::test_a_seed_is_64_bit_and_repeats_the_audio",
    32: f"{REQUEST}::test_extra_params_reach_the_engine_and_unknown_ones_are_named",
    33: f"{REQUEST}::test_task_type_is_case_sensitive_and_voice_design_is_refused",
    34: f"{REQUEST}::test_a_stream_may_be_of_any_format "
    f"{REQUEST}::test_a_strictly_compatible_server_streams_pcm_and_wav_alone_in_vllms_words "
    f"{STREAMING}::test_an_encoded_raw_stream_is_a_file_of_the_same_tone_and_length "
    f"{STREAMING}::test_encoded_audio_leaves_before_the_second_frame_is_made",
    35: f"{REQUEST}::test_strictly_compatible_streams_have_the_speed_of_the_engine "
    f"{REQUEST}::test_stretched_speech_is_streamed_and_equals_the_whole",
    36: "test_word_times::test_where_nobody_can_tell_it_is_refused_and_by_a_strictly_compatible_server_in_vllms_words",
    37: f"{REQUEST}::test_a_text_beyond_the_cap_is_refused_and_the_cap_named "
    "test_in_turn::test_a_text_beyond_what_the_engine_takes_is_cut_between_words_and_none_is_lost",
    38: f"{REQUEST}::test_blank_input_is_refused {REQUEST}::test_demands_that_would_change_what_is_heard_are_refused "
    f"{UPLOAD}::test_bad_names_are_refused",
    # C. Speech: reference audio
    39: f"{REFERENCE}::test_a_data_url_gives_the_voice_of_one_request",
    40: f"{REFERENCE}::test_other_schemes_are_refused",
    41: f"{REFERENCE}::test_a_short_reference_is_refused_and_one_second_is_enough",
    42: f"{REFERENCE}::test_a_long_reference_is_refused_and_thirty_seconds_are_not_too_much",
    43: f"{REFERENCE}::test_a_bad_data_url_is_a_clean_400",
    44: f"{REFERENCE}::test_a_bad_data_url_is_a_clean_400 {REFERENCE}::test_a_reference_of_more_than_ten_mebibytes_is_refused "
    f"{REFERENCE}::test_remote_audio_is_not_fetched {REMOTE}::test_every_failure_to_fetch_is_told_in_the_same_words "
    f"{REMOTE}::test_a_name_without_address_is_told_in_the_same_words "
    f"{LOCAL}::test_what_is_no_file_to_read_is_refused_in_one_sentence_and_holds_nothing_up",
    45: f"{REFERENCE}::test_reference_lists_types_and_rivals {STRICT}",
    # 46: no engine here averages several references, so that two are refused for all of them, in both forms.
    46: f"{REFERENCE}::test_references_are_another_form_of_ref_audio_and_ref_text {REFERENCE}::test_reference_lists_types_and_rivals",
    47: f"{REFERENCE}::test_local_audio_is_not_read "
    f"{LOCAL}::test_local_files_are_off_until_a_folder_is_named_and_the_refusal_names_the_setting",
    48: f"{LOCAL}::test_a_file_below_the_folder_gives_its_voice {LOCAL}::test_a_file_url_has_several_spellings "
    f"{LOCAL}::test_whatever_leads_out_of_the_folder_is_refused "
    f"{LOCAL}::test_what_became_a_link_after_it_was_checked_is_not_followed",
    49: f"{REMOTE}::test_a_name_of_a_private_address_is_refused {REMOTE}::test_this_machine_is_refused_by_whatever_name_and_not_dialled "
    f"{REMOTE}::test_a_host_in_another_spelling_is_refused_alike_and_not_looked_up "
    f"{REMOTE}::test_one_private_address_among_public_ones_refuses_them_all "
    f"{REMOTE}::test_a_name_that_changes_its_address_is_looked_up_once_and_what_was_checked_is_dialled "
    f"{REMOTE}::test_a_redirect_to_a_private_address_is_not_followed",
    50: f"{REMOTE}::test_a_body_that_drips_ends_at_the_deadline_though_every_read_gets_something "
    f"{REMOTE}::test_a_host_that_falls_silent_ends_at_the_deadline {REMOTE}::test_a_lookup_without_end_ends_at_the_deadline "
    f"{REMOTE}::test_an_endless_body_is_cut_while_it_streams {REMOTE}::test_a_body_that_declares_too_much_is_not_waited_for",
    51: f"{REFERENCE}::test_stereo_is_averaged",
    52: f"{UPLOAD}::test_a_float_recording_beyond_full_scale_is_not_clipped "
    "test_learning::test_a_clip_beyond_full_scale_is_learned_like_its_copy_within_it",
    53: f"{REFERENCE}::test_a_required_transcript_is_asked_for_in_vllms_words",
    54: f"{REFERENCE}::test_inline_audio_beats_a_voice_and_leaves_the_voice_as_it_was",
    # D. Speech: responses
    55: f"{ANSWERS}::test_each_format_has_its_bare_content_type",
    56: f"{ANSWERS}::test_token_headers_are_decimals_that_add_up",
    57: f"{ANSWERS}::test_rate_duration_cache_and_timing_are_in_the_headers "
    f"{ANSWERS}::test_a_sane_request_id_is_echoed_and_others_are_replaced {ANSWERS}::test_a_voice_comes_from_disk_after_a_restart",
    58: f"{ANSWERS}::test_each_format_has_its_bare_content_type",
    59: f"{ANSWERS}::test_opus_is_resampled_where_it_does_not_know_the_rate",
    60: f"{ANSWERS}::test_no_audio_is_an_error_not_an_empty_file {ANSWERS}::test_samples_that_are_no_numbers_are_an_error",
    61: f"{ANSWERS}::test_a_failing_engine_is_500_in_vllms_words",
    62: f"{ANSWERS}::test_a_loud_engine_is_rounded_off_and_a_quiet_one_left_alone "
    f"{ANSWERS}::test_the_level_of_the_answer_and_of_the_reference_are_in_the_log",
    63: f"{HANG_UP}::test_a_hang_up_while_audio_is_made_frees_the_engine_within_one_chunk",
    64: f"{REQUEST}::test_a_full_queue_is_503_with_retry_after",
    # E. Streaming over HTTP
    65: f"{STREAMING}::test_events_are_delta_and_done_only",
    66: f"{STREAMING}::test_deltas_are_numbered_never_empty_and_state_the_rate {STREAMING}::test_done_has_usage_and_timing",
    67: f"{STREAMING}::test_the_first_delta_of_wav_is_the_streaming_header",
    68: f"{STREAMING}::test_a_raw_stream_is_chunked_and_has_our_headers {STREAMING}::test_streamed_audio_is_the_whole_audio",
    69: f"{STREAMING}::test_a_failure_on_the_way_is_an_error_event_and_no_done {STREAMING}::test_a_failure_on_the_way_cuts_the_raw_stream",
    70: f"{STREAMING}::test_a_failure_before_any_audio_is_a_plain_500 "
    f"{STREAMING}::test_strictly_compatible_a_failure_before_any_audio_is_200_and_an_error_event",
    71: f"{STREAMING}::test_mistakes_in_a_streaming_request_are_plain_400",
    72: f"{STREAMING}::test_deltas_are_numbered_never_empty_and_state_the_rate "
    f"{STREAMING}::test_a_quiet_stream_of_events_is_kept_alive_by_comments",
    73: f"{STREAMING}::test_the_first_audio_leaves_before_the_second_is_made {STREAMING}::test_done_has_usage_and_timing",
    74: f"{STREAMING}::test_streamed_audio_is_the_whole_audio {STREAMING}::test_no_click_at_the_borders_of_chunks",
    75: "test_in_turn::test_the_first_part_is_heard_before_the_second_is_begun "
    "test_stream::test_the_first_piece_is_short_and_sounds_before_the_next_is_begun",
    76: f"{STREAMING}::test_initial_codec_chunk_frames_has_a_bound_and_is_reported",
    # F. Batch
    77: f"{BATCH}::test_a_blank_item_fails_and_the_other_is_spoken {BATCH}::test_no_member_of_a_result_is_null_or_empty",
    78: f"{BATCH}::test_a_batch_without_items_is_refused {BATCH}::test_a_batch_beyond_the_limit_is_refused_and_the_limit_can_be_set",
    79: f"{BATCH}::test_all_items_may_fail_and_the_answer_is_200 {BATCH}::test_a_malformed_item_refuses_the_whole_and_is_named {STRICT}",
    80: f"{BATCH}::test_items_inherit_what_they_leave_out_or_null_and_override_the_rest "
    f"{BATCH}::test_the_batch_has_an_id_and_the_request_keeps_its_own",
    81: f"{BATCH}::test_a_field_does_in_an_item_and_for_all_what_it_does_alone "
    f"{BATCH}::test_fields_that_cannot_be_heeded_are_named_in_a_warning",
    82: f"{BATCH}_engine::test_many_items_of_one_voice_are_one_extraction",
    # G. Voices: upload
    83: f"{UPLOAD}::test_an_upload_answers_with_the_voice {UPLOAD}::test_words_and_description_are_absent_where_there_are_none",
    84: f"{UPLOAD}::test_consent_and_name_are_required",
    85: f"{UPLOAD}::test_exactly_one_source_is_wanted",
    86: f"{UPLOAD}::test_bad_names_are_refused",
    87: f"{UPLOAD}::test_long_hidden_and_placeholder_names_are_refused",
    88: f"{UPLOAD}::test_ten_mebibytes_are_taken_and_one_byte_more_is_not",
    89: f"{UPLOAD}::test_a_declared_body_beyond_the_cap_is_refused_unread {UPLOAD}::test_a_body_of_unknown_length_is_cut_at_the_cap",
    90: f"{UPLOAD}::test_many_formats_are_taken {UPLOAD}::test_what_browsers_and_phones_record_is_taken",
    91: f"{UPLOAD}::test_what_is_no_recording_and_is_not_called_one_is_refused_with_a_sorted_list",
    92: f"{UPLOAD}::test_garbage_is_refused",
    93: f"{UPLOAD}::test_clips_have_from_one_to_thirty_seconds",
    94: f"{UPLOAD}::test_stereo_is_stored_as_mono",
    95: f"{UPLOAD}::test_the_same_name_in_another_case_replaces",
    96: f"{UPLOAD}::test_a_failed_upload_leaves_the_old_voice_whole",
    97: f"{UPLOAD}::test_the_number_of_voices_has_a_cap_and_replacing_is_allowed_at_it",
    98: f"{UPLOAD}::test_an_immutable_registry_names_the_way_out",
    99: f"{UPLOAD}::test_names_of_built_in_voices_are_reserved",
    100: f"{UPLOAD}::test_an_embedding_becomes_a_voice {UPLOAD}::test_bad_embeddings_are_refused",
    101: "test_upload_quality::test_an_upload_answers_with_the_measured_quality "
    "test_upload_quality::test_every_graded_number_comes_with_its_verdict_and_a_sentence "
    "test_upload_quality::test_silence_is_refused_at_upload_and_inline",
    102: f"{UPLOAD}::test_an_upload_does_not_hold_up_the_event_loop",
    # H. Voices: list, get, delete, cache
    103: f"{VOICES}::test_the_list_has_all_names_in_lower_case_and_the_uploads",
    104: f"{VOICES}::test_consent_is_masked_for_whoever_lists {VOICES}::test_strictly_compatible_consent_is_listed_as_vllm_omni_does",
    105: f"{VOICES}::test_one_voice_can_be_read_and_heard",
    106: f"{VOICES}::test_delete_answers_in_the_callers_spelling_and_then_404",
    107: f"{VOICES}::test_after_delete_nothing_of_the_voice_is_left",
    108: f"{VOICES}::test_delete_during_speech_lets_it_end_in_the_old_voice "
    f"{VOICES}::test_delete_and_upload_during_an_extraction_never_mix_the_voices",
    109: f"{VOICES}::test_a_cached_prompt_is_made_once_and_again_by_force",
    # A prompt is "processing" while its extraction runs and no longer: nothing is stored that could go stale after 300 s.
    110: f"{VOICES}::test_a_second_call_while_extracting_says_processing",
    111: f"{VOICES}::test_a_cache_for_every_engine_and_for_no_unknown_voice {VOICES}::test_a_voice_without_a_recording_says_so "
    "test_warming::test_a_loaded_engine_learns_a_new_speaker_at_once_and_the_first_speech_is_warm",
    112: f"{VOICES}::test_a_ready_cache_speaks_without_the_recording_as_long_as_its_file_is_there",
    113: f"{VOICES}::test_stats_count_what_happens",
    # I. Persistence and restore
    114: f"{RESTORE}::test_a_restart_restores_every_speaker_as_it_was",
    115: f"{OMNI}::test_a_sample_of_vllm_omni_is_restored_here_with_every_field "
    f"{OMNI}::test_the_same_upload_has_the_same_file_name_and_header_here "
    f"{OMNI}::test_our_file_meets_every_condition_of_vllm_omnis_loader "
    f"{OMNI}::test_what_is_stored_here_vllm_omni_restores_with_every_field "
    f"{OMNI}::test_each_replaces_and_deletes_what_the_other_stored",
    116: f"{FAULTS}::test_a_failed_upload_leaves_the_old_speaker_whole "
    f"{FAULTS}::test_an_upload_syncs_the_file_before_the_rename_and_the_directory_after "
    "test_crash::test_a_store_killed_at_every_disk_call_and_at_random_moments_keeps_what_it_acknowledged",
    117: f"{QUARANTINE}::test_bytes_that_are_no_speaker_are_quarantined {QUARANTINE}::test_metadata_that_cannot_be_are_quarantined "
    f"{QUARANTINE}::test_audio_that_is_none_is_quarantined {QUARANTINE}::test_a_file_over_the_size_limit_is_not_read",
    118: f"{RESTORE}::test_two_names_cannot_share_a_generation {CACHE}::test_forget_beats_an_extraction_in_flight",
    119: f"{SHARING}::test_what_another_process_did_is_so_at_the_next_name_that_is_asked_for "
    f"{SHARING}::test_what_another_process_replaced_or_removed_keeps_no_prompt {SHARING}::test_two_processes_keep_limit_policy_and_order",
    # J. Cache object
    120: f"{CACHE}::test_forgetting_drops_what_has_no_other_owner_for_all_engines",
    121: f"{CACHE}::test_the_number_of_entries_is_bounded {CACHE}::test_an_entry_larger_than_the_budget_is_served_and_not_stored "
    "test_settings::test_every_variable_reaches_its_field",
    122: f"{CACHE}::test_the_number_of_entries_is_bounded",
    123: f"{CACHE}::test_a_view_does_not_keep_its_whole_storage_alive",
    124: f"{CACHE}::test_what_is_handed_out_cannot_be_changed",
    125: f"{CACHE}::test_sixteen_callers_who_miss_together_cause_one_extraction "
    f"{CACHE}::test_the_leaders_failure_reaches_all_who_wait_and_is_not_remembered",
    126: f"{CACHE}::test_a_generation_that_is_no_longer_live_is_served_and_not_stored",
    127: f"{CACHE}::test_an_entry_larger_than_the_budget_is_served_and_not_stored",
    128: f"{VOICES}::test_delete_and_upload_during_an_extraction_never_mix_the_voices",
    129: f"{CACHE}::test_the_same_clip_in_another_precision_revision_or_transcript_is_another_entry",
    # K. WebSocket
    130: f"{ENDINGS}::test_a_session_that_does_not_begin_with_a_good_config_ends_with_an_error_and_a_code "
    f"{ENDINGS}::test_who_never_configures_is_timed_out",
    131: f"{ENDINGS}::test_a_refused_message_leaves_a_configured_session_usable",
    132: f"{SOCKET}::test_streamed_audio_is_what_http_says {SOCKET}::test_without_streaming_each_sentence_is_one_complete_file",
    133: f"{SOCKET}::test_sentences_are_spoken_one_after_the_other {SOCKET}::test_a_sentence_is_spoken_before_the_utterance_is_done",
    134: f"{SOCKET}::test_an_empty_utterance_is_done_with_nothing_and_indices_go_on {SOCKET}::test_utterances_can_be_sent_ahead",
    135: f"{SOCKET}::test_a_failure_on_the_way_discards_the_sentence_and_keeps_the_socket",
    136: f"{ENDINGS}::test_session_close_is_a_normal_end {ENDINGS}::test_what_was_said_before_session_close_is_spoken_to_its_end "
    f"{ENDINGS}::test_who_is_silent_is_timed_out_but_not_while_listening",
    137: f"{ENDINGS}::test_a_session_that_does_not_begin_with_a_good_config_ends_with_an_error_and_a_code "
    f"{ENDINGS}::test_a_defect_of_ours_ends_the_session_without_telling_our_insides",
    138: f"{SOCKET}::test_the_rate_is_the_true_one_in_every_mode",
    139: f"{BARGE_IN}::test_cancel_stops_the_audio_within_a_chunk_and_keeps_the_socket "
    f"{BARGE_IN}::test_cancel_after_session_close_stops_the_engine_and_ends_normally",
    140: f"{ENDINGS}::test_a_session_that_does_not_begin_with_a_good_config_ends_with_an_error_and_a_code",
    141: f"{ENDINGS}::test_a_refused_message_leaves_a_configured_session_usable "
    f"{ENDINGS}::test_a_frame_that_no_message_could_have_is_too_large",
    # L. Observability
    142: f"{METRICS}::test_families_have_vllm_omnis_names_labels_and_buckets {METRICS}::test_duration_and_frames_are_those_of_the_audio",
    143: f"{METRICS}::test_the_speaker_cache_is_read_off_per_engine {METRICS}::test_failures_are_counted_by_reason "
    f"{METRICS}::test_the_decoding_of_inline_audio_is_counted_and_timed",
    144: f"{ANSWERS}::test_rate_duration_cache_and_timing_are_in_the_headers {STREAMING}::test_done_has_usage_and_timing "
    "test_journey::test_a_voice_is_recorded_created_spoken_and_heard",
}
