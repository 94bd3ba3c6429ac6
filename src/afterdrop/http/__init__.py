"""The only way out to the web: paced for the whole deployment, bounded, public addresses only."""
