"""All outbound HTTP: paced for the whole deployment, bounded, to public addresses only."""
