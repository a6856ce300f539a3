/** test/results/full.json: the parts that passed in full, by commit, so that an interrupted run can continue. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';
import type { Tally } from './part.ts';

const FILE = join(ROOT, 'test/results/full.json');

interface PartResult extends Omit<Tally, 'failures'> {
  readonly seconds: number;
}

interface FullResults {
  readonly commit: string;
  readonly date: string;
  readonly parts: Readonly<Record<string, PartResult>>;
}

/** True if a part passed in full at the present commit. */
export function isDoneInFull(part: string): boolean {
  const result = resultsOf(commit())?.parts[part];
  return result !== undefined && result.failed === 0;
}

/** Adds a part's result; results of another commit are dropped. */
export function keepFullResults(part: string, result: PartResult): void {
  const now = commit();
  const results: FullResults = {
    commit: now,
    date: new Date().toISOString(),
    parts: { ...resultsOf(now)?.parts, [part]: result },
  };
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

function resultsOf(wanted: string): FullResults | undefined {
  if (!existsSync(FILE)) return undefined;
  const results = JSON.parse(readFileSync(FILE, 'utf8')) as FullResults;
  return results.commit === wanted ? results : undefined;
}

/** The commit, with a mark if the work tree differs from it. */
function commit(): string {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const dirty =
    execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: ROOT, encoding: 'utf8' }).trim() !==
    '';
  return dirty ? `${head}-dirty` : head;
}
