"""What several suites share: services, worlds, fake servers, rows. No test is in here."""

TEST_SECRET = "uM0cZ8QmYv1pQ3s7w9yB2dF4hJ6kL8nP0rT2vX4zA6c="
# The exit code of a run with forbidden skips. pytest does not use it: no second run of what failed makes up for a skip.
FORBIDDEN_SKIPS = 6
