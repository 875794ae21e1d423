"""What every node and process of ours needs: its log, its threads, its signals, its end."""
