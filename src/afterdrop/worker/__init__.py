"""One worker process: the wiring of all queues and timed jobs, their health, and pruning."""
