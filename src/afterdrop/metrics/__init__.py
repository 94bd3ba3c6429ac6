"""Link metrics: what a value means, who is asked for it, and what that costs."""
