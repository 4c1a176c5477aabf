"""Charts as inline SVG that needs no script and stretches with the page."""
