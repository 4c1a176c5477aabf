"""Data types and the engine: no idea of ours about optimizing, only how a run is carried out."""
