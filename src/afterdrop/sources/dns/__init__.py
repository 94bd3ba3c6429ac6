"""DNS: asking resolvers, reading their answers, and recognising parking providers."""
