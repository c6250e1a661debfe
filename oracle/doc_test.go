// Package oracle runs the same programs twice, once in a plain HOME and once in sessions of two accounts that share a home, and compares
// what is left. It uses swop's built programs only, and knows nothing of how they work: the plain HOME is what it compares with.
//
// The table has a sequence for each way in which an everyday program was once harmed; the random sequences look for more of them.
package oracle
