package oracle

import "os"

// row is a sequence: the steps of a session of one account, and what must be true in the end.
type row struct {
	steps     []string
	same      []string // entries of the real home that are as in the plain one
	other     string   // what a session of the other account reads then, which is the same too
	somewhere []string // texts that a file, an object of git or a kept version holds
}

// oneSession are the sequences of [TestTable] in which one session does all.
var oneSession = map[string]row{
	// What a copy stood for is under its name, and the edit under the other.
	"cp -a as a backup":       {steps: []string{"cp -a ~/z ~/z.bak", "sed -i s/first/second/ ~/z"}, same: []string{"z", "z.bak"}},
	"cp -a, perl -i":          {steps: []string{"cp -a ~/z ~/z.bak", "perl -i -pe s/first/second/ ~/z"}, same: []string{"z", "z.bak"}},
	"cp -a over another":      {steps: []string{"cp -a ~/z ~/y", "sed -i s/first/second/ ~/z"}, same: []string{"z", "y"}},
	"cp -a in the codex home": {steps: []string{"cp -a ~/" + config + " ~/" + backup, "sed -i s/first/second/ ~/" + config}, same: []string{config, backup}},
	"cp -p and back": { // the old file has its old time
		steps: []string{"cp -p ~/z ~/z.orig", "echo edited >>~/z", "mv ~/z.orig ~/z"}, same: []string{"z", "z.orig"},
	},
	// An archive and a copy in a directory hold links, so the version that they stood for is kept.
	"rsync -a as a backup": {steps: []string{"rsync -a ~/z ~/backup/", "sed -i s/first/second/ ~/z"}, same: []string{"z"}, somewhere: []string{"# first z\n"}},
	"tar as a backup":      {steps: []string{"tar -cf ~/b.tar -C ~ z", "sed -i s/first/second/ ~/z"}, same: []string{"z"}, somewhere: []string{"# first z\n"}},
	"tar, extracted": {
		steps: []string{"tar -cf ~/b.tar -C ~ z", "mkdir ~/out; tar -xf ~/b.tar -C ~/out", "sed -i s/first/second/ ~/z"},
		same:  []string{"z"}, somewhere: []string{"# first z\n"},
	},
	// A hard link of a link is a copy of it; the first name stands. An edit that replaces one of the names leaves the other as it was.
	"ln":                   {steps: []string{"ln ~/x ~/x.bak"}, same: []string{"x", "x.bak"}, other: "cat ~/x ~/x.bak"},
	"cp -al":               {steps: []string{"cp -al ~/x ~/x.bak"}, same: []string{"x", "x.bak"}, other: "cat ~/x ~/x.bak"},
	"ln config.toml":       {steps: []string{"ln ~/" + config + " ~/" + backup}, same: []string{config, backup}, other: "cat ~/" + backup},
	"cp -al config.toml":   {steps: []string{"cp -al ~/" + config + " ~/" + backup}, same: []string{config, backup}, other: "cat ~/" + backup},
	"ln, then an edit":     {steps: []string{"ln ~/" + config + " ~/" + backup, "sed -i s/first/second/ ~/" + config}, same: []string{config, backup}},
	"cp -al, then an edit": {steps: []string{"cp -al ~/" + config + " ~/" + backup, "sed -i s/first/second/ ~/" + config}, same: []string{config, backup}},
	"swap":                 {steps: []string{"mv ~/x ~/third", "mv ~/y ~/x", "mv ~/third ~/y"}, same: []string{"x", "y", "third"}, other: "cat ~/x ~/y"},
	"mv beside cp -a": { // a copy of one link does not keep another one from being renamed
		steps: []string{"mv ~/z ~/renamed", "cp -a ~/x ~/x.bak", "cp -a ~/dir ~/dir.bak"}, same: []string{"x", "x.bak", "z", "renamed", "dir.bak/one"},
	},
	// A link leads to the same from both homes, and from the other account.
	"ln -sr": {
		steps: []string{"ln -sr ~/x ~/to-x", "ln -sr ~/dir/one ~/to-one", "ln -sr ~/x ~/dir/to-x"},
		same:  []string{"to-x", "to-one", "dir/to-x"}, other: "cat ~/to-x ~/to-one ~/dir/to-x",
	},
	"ln -sr to a new name": {steps: []string{"mv ~/z ~/renamed", "ln -sr ~/renamed ~/to-it"}, same: []string{"to-it", "renamed"}, other: "cat ~/to-it ~/renamed"},
	"stow":                 {steps: []string{"cd ~/dots && stow -t ~ pkg; cd /"}, same: []string{".stowed"}, other: "cat ~/.stowed"},
	// A HOME that a program opened to others is closed again, see [row.play], and codex starts.
	"chmod 755 ~":      {steps: []string{"echo '# made' >~/made; chmod 755 ~"}, same: []string{"made"}},
	"chmod 755 .codex": {steps: []string{"echo '# made' >~/made; chmod 755 ~/.codex"}, same: []string{"made"}},
	"tar -xp of .": {
		steps: []string{"echo '# made' >~/made; mkdir $CTL/d; chmod 755 $CTL/d; tar -cf $CTL/d.tar -C $CTL/d ./; tar -xpf $CTL/d.tar -C ~"}, same: []string{"made"},
	},
	"a new directory": {steps: []string{"mkdir -p ~/new/deep; echo '# new' >~/new/deep/file"}, same: []string{"new/deep/file"}},
}

func (r row) play(p *play) {
	p.in("work", r.steps...)
	p.settled()
	p.same(r.same...)
	if r.other != "" {
		p.in("home", r.other+" >~/seen")
		p.settled()
		p.same(append(r.same, "seen")...)
	}
	for _, text := range r.somewhere {
		p.somewhere(text)
	}
	if info, err := os.Stat(p.sandbox("work")); err != nil || info.Mode().Perm() != 0o700 {
		p.t.Errorf("the sandbox's home has the mode %v, %v", info.Mode(), err)
	}
}
