/** Lint, format, types, generated files and landed migrations: each check counts as one test. */
import { NODE } from '../../local/village/paths.ts';
import type { FailedTest, Part, Print, Tally } from './part.ts';
import { stream } from './stream.ts';

const BIN = 'node_modules/.bin';

/** Fails if `gofmt -l` lists files, because that command itself does not fail. */
const GOFMT =
  'files=$(git ls-files -z "*.go" | xargs -0 gofmt -l) && test -z "$files" || { echo "gofmt would change: $files"; echo "  fix: make format"; exit 1; }';

/** Every static check. */
const CHECKS: readonly { readonly name: string; readonly command: readonly [string, ...string[]] }[] = [
  { name: 'oxlint', command: [`${BIN}/oxlint`, '--deny-warnings', '.'] },
  { name: 'formatted', command: [`${BIN}/oxfmt`, '--check', '.'] },
  { name: 'Go is formatted', command: ['sh', '-c', GOFMT] },
  { name: 'types', command: [`${BIN}/tsc`, '-p', 'tsconfig.json'] },
  { name: 'types of the web', command: [`${BIN}/tsc`, '-p', 'web/tsconfig.json'] },
  { name: 'import rules are current', command: [NODE, 'test/tidy/import-table.ts', '--check'] },
  { name: 'CRDs are current', command: [NODE, 'crds/gen/main.ts', '--check'] },
  { name: 'the API reference is current', command: [NODE, 'api/contract/gen/reference.ts', '--check'] },
  { name: 'charts are current', command: [NODE, 'charts/gen/generate.ts', '--check'] },
  {
    name: 'landed migrations are unchanged',
    command: [NODE, '--test', '--test-reporter=dot', 'api/store/src/migration/landed-migrations.test.ts'],
  },
];

export const LINT_PART: Part = { name: 'lint', does: 'oxlint, format, types, generated files', needs: [], run };

async function run(print: Print): Promise<Tally> {
  const failures: FailedTest[] = [];
  for (const { name, command } of CHECKS) {
    const [program, ...args] = command;
    const ok = (await stream(print, program, args)) === 0;
    print(`${ok ? '✔' : '✖'} ${name}`);
    if (!ok) failures.push({ what: name, rerun: command.join(' ') });
  }
  return { passed: CHECKS.length - failures.length, failed: failures.length, failures };
}
