"""Controllers that come with odesim: small rclpy nodes, written to be read."""
