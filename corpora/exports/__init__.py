"""The way back: a BEIR folder in the forms that other tools read; a target is found through the catalog."""
