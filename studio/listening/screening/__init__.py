"""Screening: who does not count, by rules that were chosen before anybody listened, and what each rule did."""
