"""The site: what a person sees. Server-rendered, calls the same functions as the API, works without JavaScript."""
