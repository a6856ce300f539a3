import type { PanicCode } from '@hamlet/contract';

/** Number of consecutive failures of one kind that end a run. */
export const PANIC_AFTER = 3;

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

/** Characters of a command, and of the end of a stream, that are searched for causes: output further up may be a printed file. */
const COMMAND_CHARS = 2_000;
const OUTPUT_CHARS = 1_500;

const TEST_RUNS = [
  /\bpytest\b/,
  /\bpython3? -m unittest\b/,
  /\b(?:npm|pnpm|yarn|bun)(?: run)? test\b/,
  /\b(?:go|cargo|make|mvn|gradle|dotnet|deno|swift|mix|bundle) test\b/,
  /\bmake check\b/,
  /\bnode --test\b/,
  /\b(?:jest|vitest|mocha|ctest|rspec|phpunit|tox)\b/,
] as const;
/** Commands that install a test program, which run no test. */
const INSTALLS =
  /\b(?:pip3?|pipx|uv|poetry|npm|pnpm|yarn|bun|apt|apt-get|gem|cargo|go) (?:-\S+ |pip )*(?:install|add|i|ci|download|get)\b/;
/** The shell could not find or start the program, or pytest ran no test or is not installed. */
const NO_TEST: ReadonlySet<number> = new Set([126, 127]);
const PYTEST_RAN_NONE: ReadonlySet<number> = new Set([2, 3, 4, 5]);
const MISSING = /\bNo module named '?(?:pytest|tox)\b/;

const NETWORK =
  /\b(?:curl|wget|pip3?|npm|pnpm|yarn|apt|apt-get|cargo|gem|gh)\b|\bgit (?:clone|fetch|push|ls-remote|submodule)\b|\bgo (?:get|mod|install)\b/;
const TIMED_OUT =
  /\bETIMEDOUT\b|\b(?:connection|operation|request|read) timed out\b|\bcurl: \(28\)|\b(?:ReadTimeoutError|ConnectTimeoutError|ConnectTimeout)\b|\bnetwork timeout at\b|\b504 gateway time-?out\b/i;
const DENIED =
  /: Permission denied\b|\bEACCES\b|\breturned error: 403\b|\bHTTP(?:\/[\d.]+)?(?: error)?:? 403\b|\b403 Forbidden\b/i;
/** Refusals by the village's rules: they name the setting to ask for, and do not end a run. */
const OWN_REFUSAL = /\begress_[a-z_]+|http:\/\/hamlet\/(?:pip|npm|apt|crates|go)\/|tunnel|proxy/i;
const DISK_FULL = /\bNo space left on device\b|\bENOSPC\b|\bDisk quota exceeded\b/i;
/** A line of git output about a reference: flag, ids, source, destination. Branches below `hamlet/` belong to one agent. */
const FORCED = /^ ?\+ [0-9a-f]+\.\.\.[0-9a-f]+ +(\S+) +-> (\S+) +\(forced update\)$/gm;

const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file', 'undo_change']);

const head = ({ command }: EndedCall): string => command.slice(0, COMMAND_CHARS);
const said = ({ stdout, stderr }: EndedCall): string =>
  `${stdout.slice(-OUTPUT_CHARS)}\n${stderr.slice(-OUTPUT_CHARS)}`;
const hasFailed = ({ exit, code }: EndedCall): boolean => (exit !== null && exit !== 0) || code !== null;

const runsTests = (command: string): boolean =>
  command.split(/&&|[|;\n]/).some((part) => !INSTALLS.test(part) && TEST_RUNS.some((each) => each.test(part)));

function testsOf(call: EndedCall): 'passed' | 'failed' | null {
  const { exit } = call;
  const command = head(call);
  if (exit === null || NO_TEST.has(exit) || !runsTests(command)) return null;
  if (/\bpytest\b/.test(command) && PYTEST_RAN_NONE.has(exit)) return null;
  if (exit !== 0 && MISSING.test(said(call))) return null;
  return exit === 0 ? 'passed' : 'failed';
}

function networkOf(call: EndedCall): 'reached' | 'timed_out' | null {
  if (hasFailed(call)) return TIMED_OUT.test(said(call)) ? 'timed_out' : null;
  return NETWORK.test(head(call)) ? 'reached' : null;
}

function isForced(call: EndedCall): boolean {
  if (call.code === 'git_forced_update_refused') return true;
  if (!/\bgit\b/.test(head(call))) return false;
  return [...said(call).matchAll(FORCED)].some(([, from = '', to = '']) => !`${from} ${to}`.includes('hamlet/'));
}

const isDenied = (call: EndedCall): boolean =>
  (call.code === 'denied' && FILE_TOOLS.has(call.tool)) ||
  (hasFailed(call) && !call.refused && DENIED.test(said(call)) && !OWN_REFUSAL.test(said(call)));

const isFull = (call: EndedCall): boolean =>
  call.code === 'disk_full' || (hasFailed(call) && DISK_FULL.test(said(call)));

/** True if the newest verdicts, as many as end a run, are all bad. */
function isRow<T>(calls: readonly EndedCall[], verdictOf: (call: EndedCall) => T | null, bad: T): boolean {
  const verdicts = calls.map(verdictOf);
  if (verdicts.at(-1) !== bad) return false;
  const row = verdicts.filter((verdict) => verdict !== null).slice(-PANIC_AFTER);
  return row.length === PANIC_AFTER && row.every((verdict) => verdict === bad);
}

/** The cause for which a run must end; null if none. `calls` are the ended calls, oldest first; the newest one decides. Pure. */
export function panicOf(calls: readonly EndedCall[]): PanicCode | null {
  const newest = calls.at(-1);
  if (newest === undefined) return null;
  if (isFull(newest)) return 'disk_full';
  if (isForced(newest)) return 'shared_branch_forced';
  if (isDenied(newest)) return 'access_denied';
  if (isRow(calls, networkOf, 'timed_out')) return 'network_keeps_timing_out';
  return isRow(calls, testsOf, 'failed') ? 'tests_keep_failing' : null;
}
