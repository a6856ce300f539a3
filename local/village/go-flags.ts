import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

/** Flags of go for every program and test, so that all of them use the packages that `make up` has compiled. */
export const GO_FLAGS: readonly string[] = readFileSync(join(ROOT, 'local/cluster/go-flags'), 'utf8').trim().split(' ');
