/** Flags of go for every program and test, so that all of them use the packages that `make up` has compiled. */
export const GO_FLAGS: readonly string[] = ['-trimpath'];
