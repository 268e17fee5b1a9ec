"""The words of the domain: frozen values without I/O."""
