//go:build unix

package manager

// readPlainRoot reads a plain root.json.
func readPlainRoot(text string) (r rootJSON, ok bool) {
	p := newPlainJSON(text)
	p.object(func(name string) {
		switch name {
		case "schema_version":
			r.SchemaVersion = p.version()
		case "shared_home":
			p.object(func(name string) {
				switch name {
				case "path":
					r.SharedHome.Path = p.string()
				case "device":
					r.SharedHome.Device = p.number()
				case "inode":
					r.SharedHome.Inode = p.number()
				default:
					p.bad = true
				}
			})
		case "former_shared_homes":
			r.Former = p.strings()
		case "config":
			r.Config = p.string()
		default:
			p.bad = true
		}
	})
	return r, p.ended() && r.SchemaVersion == schemaVersion
}
