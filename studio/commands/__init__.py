"""Commands of the command line beside serving: listening tests, from plan files to reports."""
