/** Lint, format, types, generated files and landed migrations: each check counts as one test. */
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, NODE, stateFile } from '../../local/village/paths.ts';
import type { FailedTest, Part, Print, Run, Tally } from './part.ts';
import { stream } from './stream.ts';

const BIN = 'node_modules/.bin';

/** Fails if `gofmt -l` lists files, because that command itself does not fail. */
const GOFMT =
  'files=$(git ls-files -z "*.go" | xargs -0 gofmt -l) && test -z "$files" || { echo "gofmt would change: $files"; echo "  fix: make format"; exit 1; }';

type Command = readonly [program: string, ...args: string[]];

/** One checker of types: each further one checks again what the first has checked, for the whole time of a processor. */
const CHECKERS = ['--checkers', '1'];

/** Every static check. */
const CHECKS: readonly { readonly name: string; readonly command: Command; readonly buildInfo?: string }[] = [
  { name: 'oxlint', command: [`${BIN}/oxlint`, '--deny-warnings', '.'] },
  { name: 'formatted', command: [`${BIN}/oxfmt`, '--check', '.'] },
  { name: 'Go is formatted', command: ['sh', '-c', GOFMT] },
  { name: 'types', command: [`${BIN}/tsc`, '-p', 'tsconfig.json', ...CHECKERS], buildInfo: 'types' },
  { name: 'types of the web', command: [`${BIN}/tsc`, '-p', 'web/tsconfig.json', ...CHECKERS], buildInfo: 'types-web' },
  { name: 'import rules are current', command: [NODE, 'test/tidy/import-table.ts', '--check'] },
  { name: 'CRDs are current', command: [NODE, 'crds/gen/main.ts', '--check'] },
  { name: 'the API reference is current', command: [NODE, 'api/contract/gen/reference.ts', '--check'] },
  { name: 'charts are current', command: [NODE, 'charts/gen/generate.ts', '--check'] },
  {
    name: 'landed migrations are unchanged',
    command: [NODE, '--test', '--test-reporter=dot', 'api/store/src/migration/landed-migrations.test.ts'],
  },
];

export const LINT_PART: Part = {
  name: 'lint',
  does: 'oxlint, format, types, generated files',
  needs: [],
  isOneUnit: true,
  run,
};

async function run({ print }: Run): Promise<Tally> {
  const failures: FailedTest[] = [];
  for (const { name, command, buildInfo } of CHECKS) {
    const ok = buildInfo === undefined ? await passes(command, print) : await passesFrom(buildInfo, command, print);
    print(`${ok ? '✔' : '✖'} ${name}`);
    if (!ok) failures.push({ what: name, rerun: command.join(' ') });
  }
  return { passed: CHECKS.length - failures.length, failed: failures.length, failures };
}

const passes = async ([program, ...args]: Command, print: Print): Promise<boolean> =>
  (await stream(print, program, args)) === 0;

/**
 * Checks types incrementally. All clones share the state in the cache; each works on a copy, because the paths in it
 * are relative.
 */
async function passesFrom(buildInfo: string, [program, ...args]: Command, print: Print): Promise<boolean> {
  const shared = join(CACHE, 'types', `${buildInfo}.tsbuildinfo`);
  const own = stateFile(`${buildInfo}.tsbuildinfo`);
  if (existsSync(shared)) copyFileSync(shared, own);
  const ok = await passes([program, ...args, '--incremental', '--tsBuildInfoFile', own], print);
  if (!existsSync(own)) return ok;
  mkdirSync(join(CACHE, 'types'), { recursive: true });
  copyFileSync(own, `${shared}.${process.pid}`);
  renameSync(`${shared}.${process.pid}`, shared);
  return ok;
}
