package disk

// Unopened reports that Windows does not tell.
func (Dir) Unopened(string) (unopened, known bool) { return false, false }
