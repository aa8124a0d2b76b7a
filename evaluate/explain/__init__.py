"""Why a number differs: every known rule tried on the run itself, and what two makings have apart."""
