"""Policies that act in a simulated environment: the task, its episodes, its spaces, its film."""
