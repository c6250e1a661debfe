package oracle

// openDatabase is a step that opens a database in the background. What is written to descriptor 47 is done by it.
func openDatabase(name string) string {
	return `[ -e "$CTL/in" ] || { mkfifo "$CTL/in" "$CTL/out"; sqlite3 ` + home(name) + ` <"$CTL/in" >"$CTL/out" 2>&1 & exec 47<>"$CTL/in" 48<"$CTL/out"; }
echo "pragma journal_mode=wal; create table if not exists t(v);" >&47; ` + databaseSync
}

// databaseSync waits until the database in the background has done all that it was told.
const databaseSync = `echo "select 'end';" >&47; while read -r line <&48 && [ "$line" != end ]; do :; done`

// closeDatabase ends the database in the background.
const closeDatabase = `exec 47>&- 48<&-; wait; rm -f "$CTL/in" "$CTL/out"`
