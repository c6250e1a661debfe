package verb

import (
	"cmp"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/limits/usage"
)

// Logins returns the logins of all accounts, by key, as they may be shown. Two logins of one address differ by the name of their workspace,
// or by the beginning of its id.
func (s Setup) Logins(all []account.Account) map[string]login.Login {
	list := make([]login.Login, len(all))
	disk.Parallel(len(all), func(i int) {
		list[i] = login.Of(all[i])
		if list[i].Mode != "chatgpt" {
			return
		}
		if said := usage.Last(s.Store.Layout, all[i], s.Now()).Reading; said != nil {
			list[i].Organization = cmp.Or(said.Workspace, list[i].Organization)
		}
	})
	login.TellApart(list, func(i int) login.Identity { return login.IdentityOf(all[i]) })
	logins := make(map[string]login.Login, len(all))
	for i, acct := range all {
		logins[acct.Key] = list[i]
	}
	return logins
}
