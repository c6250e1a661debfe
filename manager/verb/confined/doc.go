// Package confined, swop's own, has the verbs of confined sessions: what they may do, what they ask for, their bridges.
package confined
