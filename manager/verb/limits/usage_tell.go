package limits

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"swop/internal/account"
	"swop/internal/limits/usage"
	"swop/internal/say"
)

// tellTime is how long the command that tells the user may take.
const tellTime = 10 * time.Second

// tell runs the user's command for each of the news. What it prints is nobody's.
func (q asker) tell(acct account.Account, news []usage.News) {
	for _, n := range news {
		window, resets, limit := windowName(n.Minutes), n.ResetsAt.Time(), fmt.Sprint(n.Percent)
		text := fmt.Sprintf("%s has used %d %% of its limit (%s), which resets %s", acct.Meta.Label, n.Used, window, usage.When(resets, q.Now()))
		if n.Percent == 0 {
			limit = "reset"
			text = fmt.Sprintf("the limit of %s (%s) was reset", acct.Meta.Label, window)
		}
		ctx, cancel := context.WithTimeout(context.Background(), tellTime)
		cmd := exec.CommandContext(ctx, q.Settings.OnLimit[0], append(slices.Clone(q.Settings.OnLimit[1:]), text)...)
		cmd.Dir = "/"
		cmd.Env = q.Env.With("SWOP_LABEL", acct.Meta.Label).With("SWOP_WINDOW", window).With("SWOP_LIMIT", limit).With("SWOP_RESET", resets.UTC().Format(time.RFC3339))
		if err := cmd.Run(); err != nil {
			say.Line(q.Stderr, "on_limit: %v", err)
		}
		cancel()
	}
}
