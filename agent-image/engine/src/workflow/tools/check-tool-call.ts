import type { ManifestDenial } from '../../effects/tool-outcome.ts';
import type { Effect } from '../../journal/event.ts';
import { fitsGlob } from './permissions/fits-glob.ts';
import { fitsHost } from './permissions/fits-host.ts';
import { allowsProgram, deniesProgram, isShell } from './permissions/fits-program.ts';
import { grantOf, type Entry, type ListName, type PermissionLevel } from './permissions/permission-levels.ts';

/** A run that changes nothing: it may only read, or its changes are planned and recorded instead of made. */
export type SafeMode = 'analysis_only' | 'dry_run';

/** One thing that a call would do. `path`: from the root, without `.` and `..`, empty for the root. `argv`: program, then arguments. */
export type Need =
  | Readonly<{ kind: 'read' | 'write'; path: string }>
  | Readonly<{ kind: 'run'; argv: readonly string[] }>
  | Readonly<{ kind: 'network'; host: string }>;

/** A place of the engine below the root, with everything in it. No tool reaches its data, and none writes its manifests. */
export type ReservedPath = Readonly<{ path: string; isData: boolean }>;

/** The rules about one tool, for the agent or the stage that calls it. */
export type ToolRules = Readonly<{
  tool: string;
  effect: Effect;
  mode: SafeMode | null;
  /** From the general to the specific. */
  levels: readonly PermissionLevel[];
  reserved: readonly ReservedPath[];
  /** The line of a value in a manifest; null if it is unknown. */
  lineOf: (file: string, path: readonly (string | number)[]) => number | null;
}>;

/** `text`: what is denied, by which entry of which manifest, and how to change that. */
export type ToolVerdict =
  | Readonly<{ verdict: 'allow' }>
  | Readonly<{ verdict: 'deny'; code: ManifestDenial; text: string }>;

const ALLOW: ToolVerdict = { verdict: 'allow' };
const deny = (code: ManifestDenial, text: string): ToolVerdict => ({ verdict: 'deny', code, text });

/**
 * Judges a call by the permissions of the manifests and the safe mode. A call is allowed if the manifests allow each of
 * its needs. It never replaces the engine's policy: a call runs if both allow it. Pure.
 */
export function checkToolCall(rules: ToolRules, needs: readonly Need[]): ToolVerdict {
  if (rules.mode === 'analysis_only' && rules.effect !== 'read')
    return deny(
      'analysis_only',
      `The task only analyses, and ${rules.tool} may change something (effect ${rules.effect}). Use tools that read, or run the task without analysis_only.`,
    );
  for (const need of needs) {
    const verdict = judge(rules, need);
    if (verdict.verdict === 'deny') return verdict;
  }
  return ALLOW;
}

function judge(rules: ToolRules, need: Need): ToolVerdict {
  switch (need.kind) {
    case 'read':
    case 'write':
      return judgePath(rules, need);
    case 'run':
      return judgeCommand(rules, need.argv);
    case 'network':
      return judgeBy(rules, {
        list: 'network',
        code: 'network_not_permitted',
        what: `to reach ${need.host}`,
        allows: (entry) => fitsHost(entry, need.host),
        denies: (entry) => fitsHost(entry, need.host),
      });
    default:
      return need satisfies never;
  }
}

type PathNeed = Readonly<{ kind: 'read' | 'write'; path: string }>;

/** True if a path belongs to the engine, for this use of it. Pure. */
export const isReserved = (reserved: readonly ReservedPath[], { kind, path }: PathNeed): boolean =>
  reserved.some(
    (place) => (place.isData || kind === 'write') && (place.path === path || path.startsWith(`${place.path}/`)),
  );

function judgePath(rules: ToolRules, need: PathNeed): ToolVerdict {
  const { kind, path } = need;
  const what = `to ${kind} ${path === '' ? 'the root' : path}`;
  if (isReserved(rules.reserved, need))
    return deny(
      'path_not_permitted',
      `${rules.tool} may not be used ${what}: it belongs to the engine, and no manifest can allow that. Name another path.`,
    );
  const fits = (entry: string): boolean => fitsGlob(entry, path);
  return judgeBy(rules, {
    list: `filesystem.${kind}`,
    code: 'path_not_permitted',
    what,
    allows: fits,
    denies: fits,
  });
}

/** A shell runs what no list can see, so it also needs the switch; the lists judge it as the program that it is. */
function judgeCommand(rules: ToolRules, argv: readonly string[]): ToolVerdict {
  const shown = argv.slice(0, SHOWN_WORDS).join(' ').slice(0, SHOWN_CHARS);
  if (isShell(argv)) {
    const stated = rules.levels.filter(({ stated: { shell } }) => shell?.enabled !== undefined);
    const off = stated.find(({ stated: { shell } }) => shell?.enabled === false);
    const isOn = off === undefined && stated.length > 0;
    if (!isOn) return deny('shell_not_enabled', shellIsOff(rules, shown, off));
  }
  return judgeBy(rules, {
    list: 'shell',
    code: 'program_not_permitted',
    what: `to run ${shown}`,
    allows: (entry) => allowsProgram(entry, argv),
    denies: (entry) => deniesProgram(entry, argv),
  });
}

const SHOWN_WORDS = 4;
const SHOWN_CHARS = 120;

function shellIsOff(rules: ToolRules, shown: string, off: PermissionLevel | undefined): string {
  const what = `${rules.tool} may not use a shell (${shown})`;
  if (off === undefined)
    return `${what}: no manifest sets shell.enabled. Give the program and its arguments in argv, or set enabled: true in ${placeToAdd(rules, 'shell')}.`;
  const at = placeOf(rules, off, [...off.path, 'shell', 'enabled']);
  return `${what}: ${at} says false. Give the program and its arguments in argv, or remove that line.`;
}

type Question = Readonly<{
  list: ListName;
  code: ManifestDenial;
  what: string;
  allows: (entry: string) => boolean;
  denies: (entry: string) => boolean;
}>;

function judgeBy(rules: ToolRules, { list, code, what, allows, denies }: Question): ToolVerdict {
  const grant = grantOf(rules.levels, list);
  const denial = grant.deny.find(({ text }) => denies(text));
  if (denial !== undefined)
    return deny(
      code,
      `${rules.tool} may not be used ${what}: ${entryIn(rules, denial)} denies it, and a denial of any level stays. Change that entry.`,
    );
  if (grant.allow.some(({ text }) => allows(text))) return ALLOW;
  const name = list.startsWith('filesystem') ? list : `${list}.allow`;
  const { by } = grant;
  if (by === null)
    return deny(
      code,
      `${rules.tool} may not be used ${what}: no manifest states ${name}. Add it to ${placeToAdd(rules, list)}.`,
    );
  return deny(
    code,
    `${rules.tool} may not be used ${what}: no entry of ${placeOf(rules, by, [...by.path, ...name.split('.')])} fits. Add one that does.`,
  );
}

const entryIn = (rules: ToolRules, { written, level, path }: Entry): string =>
  `"${written}" in ${placeOf(rules, level, path)}`;

/** `tools.yaml:12 (tools[0].permissions.shell.deny[1])`; without the line if it is unknown. */
function placeOf({ lineOf }: ToolRules, { file }: PermissionLevel, path: readonly (string | number)[]): string {
  const line = lineOf(file, path);
  const steps = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`));
  return `${file}${line === null ? '' : `:${line}`} (${steps.join('')})`;
}

/** The most specific level, in which a missing rule is best added. */
function placeToAdd(rules: ToolRules, list: ListName): string {
  const level = rules.levels.at(-1);
  return level === undefined ? 'tools.yaml' : placeOf(rules, level, [...level.path, ...list.split('.')]);
}
