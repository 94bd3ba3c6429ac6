"""Events to receivers and mails to people: nothing lost, nothing twice that need not be."""
