"""Files of leaderboards and other tools, made from results and checked before anybody uploads them."""
