"""DNS: resolvers asked, answers read, parking providers recognised."""
