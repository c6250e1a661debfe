/* The program that is started in codex's place: the cheapest there is. */
int main(void) { return 0; }
