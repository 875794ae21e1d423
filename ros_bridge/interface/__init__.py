"""All topics of a world, published and listened to."""
