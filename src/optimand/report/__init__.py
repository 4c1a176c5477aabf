"""What people see of a finished or running study."""
