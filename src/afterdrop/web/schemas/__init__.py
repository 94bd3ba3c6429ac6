"""Inputs and answers of the API, as the OpenAPI document shows them."""
