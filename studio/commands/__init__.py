"""What the command line can do beside serving: listening tests from plan files to reports."""
