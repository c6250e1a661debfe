package session

import "swop/shim"

// tellLimits does nothing: on_limit runs where codex swop usage does.
func (plan) tellLimits(*shim.Call) {}
