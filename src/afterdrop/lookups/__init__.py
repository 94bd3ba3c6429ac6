"""Questions to the registries and to DNS: counted, briefly cached, never a guess."""
