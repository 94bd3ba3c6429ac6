"""The risk flags and the evidence behind each."""
