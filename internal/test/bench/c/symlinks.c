/* symlinks DIR N: make N links in DIR, and print how long the system calls took, in nanoseconds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int dir = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
	struct timespec a, b;
	char name[32], target[64];
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < atoi(argv[2]); i++) {
		snprintf(name, sizeof name, "entry%d", i);
		snprintf(target, sizeof target, "/home/somebody/entry%d", i);
		if (symlinkat(target, dir, name))
			return perror("symlinkat"), 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%ld\n", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
	return 0;
}
