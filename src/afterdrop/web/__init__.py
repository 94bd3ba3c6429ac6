"""The doors on the web: the JSON API, the operator's hook and (beside them) the site and MCP."""
