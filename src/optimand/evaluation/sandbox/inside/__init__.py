"""What runs within the sandbox: the standard library and these files alone, no other of ours."""
