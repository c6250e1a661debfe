package account

// Session is the session of an account that a process is in, as its environment tells.
type Session struct {
	Key      string // of the account
	Root     string // swop's root
	RealHome string // the account's real home, as meta.json has it
	Private  bool   // the account has its transcripts and databases for itself
}
