package say

import "fmt"

// Bytes returns a size in its largest unit, with one digit after the point.
func Bytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/(1<<10), 0
	for ; size >= 1<<10; unit++ {
		size /= 1 << 10
	}
	return fmt.Sprintf("%.1f %ciB", size, "KMGTPE"[unit])
}
