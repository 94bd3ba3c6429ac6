"""Link metrics: their roles and values, the providers that are asked for them, and what that costs."""
