import type { PanicCode } from '@hamlet/contract';

/** Attempts without improvement, in a row, after which the model is warned, and after which the API stops the run. */
const PANIC_WARNS_AFTER = 3;
export const PANIC_STOPS_AFTER = 6;

/** An ended call in the hands, as the agent claims it. Long texts keep only their ends. */
export interface EndedCall {
  readonly tool: string;
  readonly command: string;
  /** Null without a process, or if a signal ended it. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Code of a failed outcome. */
  readonly code: string | null;
  /** True if the broker refused something during the call: then a 403 comes from the village. */
  readonly refused: boolean;
}

export interface Panic {
  readonly code: PanicCode;
  /** `warn`: the model reads that it is stuck. `stop`: it can call nothing more, and reports. */
  readonly level: 'warn' | 'stop';
}

/** Characters of a command, and of the end of a stream, that are compared and searched for causes. */
const COMMAND_CHARS = 2_000;
const OUTPUT_CHARS = 1_500;

const TEST_RUN =
  /\b(?:pytest|jest|vitest|mocha|ctest|rspec|phpunit|tox|unittest)\b|\b(?:npm|pnpm|yarn|bun|go|cargo|make|mvn|gradle|dotnet|deno|swift|mix) (?:run )?(?:test|check)\b|\bnode --test\b/;
/** Commands that install a test program, which run no test. */
const INSTALL = /\b(?:install|add|i|ci|get|download)\b/;
/** Exit codes of a shell that could not start the program. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
/** Counts of failed tests as test programs write them: `4 failed`, `failures=4`, `# fail 4`, `Failures: 4`. */
const FAILURES = /(\d+) (?:failed|failing|failures?)\b|\bfail(?:ed|ures?)?\s*[:= ]\s*(\d+)/gi;

const TIMED_OUT =
  /\bETIMEDOUT\b|\b(?:connection|operation|request|read) timed out\b|\bcurl: \(28\)|\bnetwork timeout at\b/i;
const DENIED = /: Permission denied\b|\bEACCES\b|\breturned error: 403\b|\b403 Forbidden\b/i;
const DISK_FULL = /\bNo space left on device\b|\bENOSPC\b|\bDisk quota exceeded\b/i;
/** A line of git output about a reference: flag, ids, source, destination. Branches below `hamlet/` belong to one agent. */
const FORCED = /^ ?\+ [0-9a-f]+\.\.\.[0-9a-f]+ +(\S+) +-> (\S+) +\(forced update\)$/gm;

const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file', 'undo_change']);

const head = ({ command }: EndedCall): string => command.slice(0, COMMAND_CHARS);
const said = ({ stdout, stderr }: EndedCall): string =>
  `${stdout.slice(-OUTPUT_CHARS)}\n${stderr.slice(-OUTPUT_CHARS)}`;
const hasFailed = ({ exit, code }: EndedCall): boolean => (exit !== null && exit !== 0) || code !== null;

const isTestRun = (call: EndedCall): boolean =>
  call.exit !== null &&
  !NOT_STARTED.has(call.exit) &&
  head(call)
    .split(/&&|[|;\n]/)
    .some((part) => TEST_RUN.test(part) && !INSTALL.test(part));

/** The largest count of failed tests that an output names; null if it names none. */
function failuresIn(text: string): number | null {
  const counts = [...text.matchAll(FAILURES)].map(([, before, after]) => Number(before ?? after));
  return counts.length === 0 ? null : Math.max(...counts);
}

/** An output without numbers, such as times, addresses and line numbers. */
const shapeOf = (text: string): string => text.replaceAll(/0x[0-9a-f]+|\d+(?:\.\d+)?/gi, '#');

/** True if a failed test run shows the same failures as an earlier one, and at least as many. */
function isNoBetter(later: EndedCall, earlier: EndedCall): boolean {
  const [now, before] = [said(later), said(earlier)];
  const [fails, failed] = [failuresIn(now), failuresIn(before)];
  return shapeOf(now) === shapeOf(before) && (fails === null || failed === null || fails >= failed);
}

/** The number of test runs in a row, up to the newest call, that failed without improvement. */
function stuckTests(calls: readonly EndedCall[]): number {
  const newest = calls.at(-1);
  if (newest === undefined || !isTestRun(newest)) return 0;
  const runs = calls.filter(isTestRun);
  let row = 0;
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const [run, later] = [runs[index], runs[index + 1]];
    if (run === undefined || run.exit === 0 || (later !== undefined && !isNoBetter(later, run))) break;
    row += 1;
  }
  return row;
}

function isForced(call: EndedCall): boolean {
  if (call.code === 'git_forced_update_refused') return true;
  if (!/\bgit\b/.test(head(call))) return false;
  return [...said(call).matchAll(FORCED)].some(([, from = '', to = '']) => !`${from} ${to}`.includes('hamlet/'));
}

const CAUSES: readonly (readonly [PanicCode, (call: EndedCall) => boolean])[] = [
  ['disk_full', (call) => call.code === 'disk_full' || (hasFailed(call) && DISK_FULL.test(said(call)))],
  ['shared_branch_forced', isForced],
  [
    'access_denied',
    (call) =>
      (call.code === 'denied' && FILE_TOOLS.has(call.tool)) ||
      (hasFailed(call) && !call.refused && DENIED.test(said(call))),
  ],
  ['network_keeps_timing_out', (call) => hasFailed(call) && TIMED_OUT.test(said(call))],
];

function rowOf(calls: readonly EndedCall[], isBad: (call: EndedCall) => boolean): number {
  const good = calls.findLastIndex((call) => !isBad(call));
  return calls.length - 1 - good;
}

const levelOf = (row: number): Panic['level'] | null =>
  row >= PANIC_STOPS_AFTER ? 'stop' : row === PANIC_WARNS_AFTER ? 'warn' : null;

/**
 * The consequence of the newest of a run's ended calls, oldest first; null if none. Calls of one cause count in a row; test runs
 * count if they fail as the previous one did; other calls may be between them. Pure.
 */
export function panicOf(calls: readonly EndedCall[]): Panic | null {
  const rows = [
    ...CAUSES.map(([code, isBad]) => ({ code, row: rowOf(calls, isBad) })),
    { code: 'tests_keep_failing' as const, row: stuckTests(calls) },
  ];
  for (const { code, row } of rows) {
    const level = levelOf(row);
    if (level !== null) return { code, level };
  }
  return null;
}
