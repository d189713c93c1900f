"""Makes logs of notes, score sheets and several views of one match."""
