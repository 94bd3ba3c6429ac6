"""What an account can ask for, as plain functions that the API, MCP and the site share."""
