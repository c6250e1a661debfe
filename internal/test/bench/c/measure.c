/* measure ROUNDS -- [NAME=value...] PROGRAM [ARGUMENT...] [-- ...]
 *
 * Starts each command ROUNDS times, in turns, and prints a line for each start:
 * the command's number, wall and CPU time in nanoseconds, peak memory in kibibytes. A command that fails ends it.
 * What the first variable names is done before each start, and not measured: REPLACE=FILE replaces the file, TOGGLE=FILE makes or removes it.
 * It is C, and small: a child that is started with vfork inherits its parent's peak memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 64 };
struct command {
	char **argv, **env;
};

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static pid_t start(struct command *c, int quiet) {
	pid_t pid = vfork();
	if (pid == 0) {
		if (quiet >= 0) {
			dup2(quiet, 0);
			dup2(quiet, 1);
		}
		execve(c->argv[0], c->argv, c->env);
		_exit(127);
	}
	return pid;
}

/* take returns one command: its variables, and its arguments up to the next "--". */
static struct command take(char **args, char **end) {
	struct command c = {0};
	char **at = args;
	while (at < end && strchr(*at, '=') && strchr(*at, '=') < strchrnul(*at, '/'))
		at++;
	c.env = calloc(at - args + 1, sizeof *c.env);
	memcpy(c.env, args, (at - args) * sizeof *c.env);
	c.argv = calloc(end - at + 1, sizeof *c.argv);
	memcpy(c.argv, at, (end - at) * sizeof *c.argv);
	return c;
}

/* prepare changes what the first variable names, and lets the clock of file times pass the change. */
static void prepare(const char *what) {
	char new[4096];
	int toggle = what && !strncmp(what, "TOGGLE=", 7);
	if (!what || (!toggle && strncmp(what, "REPLACE=", 8)))
		return;
	const char *file = strchr(what, '=') + 1;
	if (!toggle || unlink(file)) {
		snprintf(new, sizeof new, "%s.new", file);
		close(open(new, O_CREAT | O_WRONLY, 0600));
		rename(new, file);
	}
	usleep(10000);
}

int main(int argc, char **argv) {
	struct command list[most];
	int n = 0, rounds = argc > 2 ? atoi(argv[1]) : 0, quiet = open("/dev/null", O_RDWR);
	for (int i = 2; i < argc;) {
		int j = i + 1;
		while (j < argc && strcmp(argv[j], "--"))
			j++;
		if (n < most)
			list[n++] = take(argv + i + 1, argv + j);
		i = j;
	}
	for (int r = 0; r < rounds; r++) {
		for (int k = 0; k < n; k++) {
			int i = (k + r) % n, status;
			struct rusage u;
			prepare(list[i].env[0]);
			long began = now();
			pid_t pid = start(&list[i], quiet);
			wait4(pid, &status, 0, &u);
			long wall = now() - began;
			if (status)
				return fprintf(stderr, "%s failed: %d\n", list[i].argv[0], status), 1;
			long cpu = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000L + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000L;
			printf("%d %ld %ld %ld\n", i, wall, cpu, u.ru_maxrss);
		}
	}
	return 0;
}
