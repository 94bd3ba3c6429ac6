"""Actions of an account, as plain functions that the API, MCP and the site share."""
