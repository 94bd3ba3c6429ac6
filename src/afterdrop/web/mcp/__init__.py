"""The service for agents: tools of the Model Context Protocol at `/mcp`, over the same functions as the API."""
