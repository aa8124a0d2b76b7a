"""The waist of the house: records, BEIR folders, runs, manifests, and what is wrong with them."""
