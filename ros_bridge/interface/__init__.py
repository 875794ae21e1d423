"""All topics of a world, published and subscribed to."""
