import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Row } from '../../report.ts';
import type { Counted } from './step-mind.ts';

const LIMIT_MS = 1_800_000;
/** Ours may take a tenth more than the program with the fewest tokens. */
const ROOM = 1.1;

/**
 * Tokens of a task of twenty steps: ours compared with programs that people use, each through the gateway of one
 * village.
 */
export async function measureTokens(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-tokens-'));
  const file = join(folder, 'tokens.json');
  try {
    const env = { ...process.env, TOKENS_FILE: file };
    const running = promisify(execFile)(process.execPath, [join(import.meta.dirname, 'token-process.ts')], {
      env,
      timeout: LIMIT_MS,
    });
    running.child.stdout?.pipe(process.stdout);
    await running;
    return rowsOf(JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, Counted>>);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rows of counts by program. Pure. */
function rowsOf({ hamlet, ...peers }: Readonly<Record<string, Counted>>): readonly Row[] {
  const row = (metric: string, figure: (counted: Counted) => number): Row => {
    const others = Object.fromEntries(Object.entries(peers).map(([name, counted]) => [name, figure(counted)]));
    const target = Math.floor(Math.min(...Object.values(others)) * ROOM);
    const ours = hamlet === undefined ? Number.NaN : figure(hamlet);
    return { metric, unit: 'tokens', better: 'lower', ours, peers: others, target };
  };
  return [
    row('firstRequestTokens', ({ first }) => first),
    row('tokensToDone', ({ sum }) => sum),
    row('uncachedTokensToDone', ({ sum, repeated }) => sum - repeated),
  ];
}
