import type { HandsActivity, ToolClass } from '@hamlet/contract';

/** An unfinished call in the hands. */
export interface OpenCall {
  readonly agentId: string;
  readonly tool: string;
  readonly toolClass: ToolClass | null;
  /** Command of a call of `shell`; null for another tool. */
  readonly command: string | null;
}

const PROGRAMS: Readonly<Record<string, HandsActivity>> = Object.fromEntries([
  ...kind('building', [
    'make cmake ninja gcc g++ cc clang go cargo rustc mvn gradle gradlew tsc esbuild vite webpack',
    'npm npx pnpm yarn pip pip3 uv poetry apt apt-get pytest tox ruff eslint jest vitest mocha ctest',
  ]),
  ...kind('browsing', ['curl wget chromium playwright lynx']),
  ...kind('reading', ['cat less more head tail ls find fd tree rg grep awk wc diff jq stat file']),
]);

function kind(activity: HandsActivity, lists: readonly string[]): readonly (readonly [string, HandsActivity])[] {
  return lists.flatMap((list) => list.split(' ')).map((program) => [program, activity]);
}

/** Prefixes of a program that do not affect its activity, and variable assignments. */
const BEFORE = /^(?:sudo|time|nice|env|exec|timeout|nohup|then|do|[A-Za-z_]\w*=.*|-\S*|\d+\w*)$/;
/** Maximum characters of a command to classify. */
const COMMAND_MAX_CHARS = 4_000;
const STRONGEST: readonly HandsActivity[] = ['building', 'browsing', 'typing', 'reading'];

/** The activity of a command: the strongest of its programs. A command that only reads is reading; an unknown program is typing. Pure. */
export function activityOfCommand(command: string): HandsActivity {
  const parts = command.slice(0, COMMAND_MAX_CHARS).split(/[\n;|&]+/);
  const found = new Set(parts.flatMap((part) => activityOfPart(part) ?? []));
  return STRONGEST.find((activity) => found.has(activity)) ?? 'typing';
}

/** The activity of one part of a command; null without a program, and for `cd`. */
function activityOfPart(part: string): HandsActivity | null {
  const word = part
    .trim()
    .split(/\s+/)
    .find((each) => each !== '' && !BEFORE.test(each));
  const program = word?.split('/').at(-1) ?? '';
  if (program === '' || program === 'cd') return null;
  return Object.hasOwn(PROGRAMS, program) ? (PROGRAMS[program] ?? 'typing') : 'typing';
}

const BROWSER = /^(?:browser|web|http|fetch)|playwright|chrome|browser|puppeteer/;
const BY_CLASS: Readonly<Partial<Record<ToolClass, HandsActivity>>> = {
  read: 'reading',
  write_inside: 'typing',
  network: 'browsing',
  install: 'building',
};

export function activityOfCall({ tool, toolClass, command }: Omit<OpenCall, 'agentId'>): HandsActivity {
  if (command !== null) return activityOfCommand(command);
  if (BROWSER.test(tool)) return 'browsing';
  return (toolClass === null ? undefined : BY_CLASS[toolClass]) ?? 'working';
}

/** The present activity of each agent: from its newest open call, else waiting for people. `calls` has the newest call last. Pure. */
export function handsActivities(
  calls: readonly OpenCall[],
  waiting: readonly string[],
): ReadonlyMap<string, HandsActivity> {
  return new Map<string, HandsActivity>([
    ...waiting.map((agentId) => [agentId, 'waiting'] as const),
    ...calls.map((call) => [call.agentId, activityOfCall(call)] as const),
  ]);
}

/** The agents whose activity changed between two moments; null for an ended activity. Pure. */
export function changedActivities(
  before: ReadonlyMap<string, HandsActivity>,
  now: ReadonlyMap<string, HandsActivity>,
): Readonly<Record<string, HandsActivity | null>> {
  const ended = [...before.keys()].filter((agentId) => !now.has(agentId)).map((agentId) => [agentId, null] as const);
  const changed = [...now].filter(([agentId, activity]) => before.get(agentId) !== activity);
  return Object.fromEntries([...ended, ...changed]);
}
