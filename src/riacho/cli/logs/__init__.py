"""What `riacho logs` is made of: which logs there are, their entries, those that are wanted, and how they are shown."""
