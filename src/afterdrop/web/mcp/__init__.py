"""The service for agents: tools of the Model Context Protocol at `/mcp`."""
