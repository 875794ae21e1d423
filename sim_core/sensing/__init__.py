"""What sensors share: rays, and the pictures of the render process."""
