"""What several suites share: services, worlds, fake servers, rows. No test is in here."""

TEST_SECRET = "uM0cZ8QmYv1pQ3s7w9yB2dF4hJ6kL8nP0rT2vX4zA6c="
