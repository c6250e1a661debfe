package doctor

// writable returns nil: the ACL of a file is its administrator's affair.
func writable(string) *openFile { return nil }
