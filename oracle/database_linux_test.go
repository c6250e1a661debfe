package oracle

// openDatabase is a step that opens a database in the background. What is written to descriptor 7 is done by it.
func openDatabase(name string) string {
	return `[ -e "$CTL/in" ] || { mkfifo "$CTL/in" "$CTL/out"; sqlite3 ` + home(name) + ` <"$CTL/in" >"$CTL/out" 2>&1 & exec 7<>"$CTL/in" 8<"$CTL/out"; }
echo "pragma journal_mode=wal; create table if not exists t(v);" >&7; ` + databaseSync
}

// databaseSync waits until the database in the background has done all that it was told.
const databaseSync = `echo "select 'end';" >&7; while read -r line <&8 && [ "$line" != end ]; do :; done`

// closeDatabase ends the database in the background.
const closeDatabase = `exec 7>&- 8<&-; wait; rm -f "$CTL/in" "$CTL/out"`
