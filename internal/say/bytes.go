package say

import "strconv"

// Bytes returns a size in its largest unit, with one digit after the point.
func Bytes(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n)/(1<<10), 0
	for ; size >= 1<<10; unit++ {
		size /= 1 << 10
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + "KMGTPE"[unit:unit+1] + "iB"
}
