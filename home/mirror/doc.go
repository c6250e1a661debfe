// Package mirror makes a sandbox show the shared homes. It repairs the links, and shares what programs made or replaced in a session.
// docs/decisions/0013 has its promises and the table of cases, docs/codex-home.md says what the real Codex does to its home.
//
// A reconcile of a home has phases: scanner fills seen and its findings; then, under the lock, repair judges each finding again. linkReader reads the
// links that programs renamed or copied, folding shares what is the sandbox's own, pairing keeps hard-linked files one; done is what they have done.
//
// These words have one meaning here. A reconcile is one run for one account. It scans each view, the codex home and HOME, and repairs what the
// scan finds. To adopt an entry is to move a new one from the sandbox to the shared directory; to fold it is to decide what becomes of it
// there. A version that another takes the place of is kept: see package history. At rest: no session of the account runs. A pinned entry stays
// the account's own although the rules would share it by now. A paired file is hard-linked, with one name on each side. The baseline is what the
// last scan saw. A move is one entry on its way out of a home.
package mirror
