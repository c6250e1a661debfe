package disk

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls do with the numbers below n, as many at a time as there are processors.
func Parallel(n int, do func(int)) {
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
