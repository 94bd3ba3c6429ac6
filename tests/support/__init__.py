"""What several suites share: services, worlds, fake servers, rows. No test is in here."""
