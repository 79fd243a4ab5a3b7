"""The kinds of places that an address can lead to, and what patches can do at each."""
