"""The page of somebody who takes a listening test."""
