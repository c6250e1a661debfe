#include "textflag.h"

// func linux(number, a, b, c uintptr) int
TEXT ·linux(SB), NOSPLIT, $0-40
	MOVQ number+0(FP), AX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	SYSCALL
	MOVQ AX, ret+32(FP)
	RET
