"""The web application: the JSON API, the operator's hook, the site and MCP, over one set of actions."""
