import type { AgentSpec } from '@hamlet/contract/kinds';
import { Mind, MIND_WORD_MAX_CHARS } from '@hamlet/contract/mind';
import { ACP_PRESETS, ACP_RUNTIME, type AcpPreset, isAcpPreset } from '@hamlet/contract/presets';

/** The visible characters of a text, shortened to the limit of a `Mind`; null if none remain. */
export function mindWord(text: string | null | undefined): string | null {
  const readable = (text ?? '').slice(0, MIND_WORD_MAX_CHARS).replaceAll(/\p{C}/gu, '').trim();
  return readable === '' ? null : readable;
}

export const mindOfRuntime = (runtime: string): Mind => ({
  runtime: mindWord(runtime) ?? 'unknown',
  preset: null,
  program: null,
  version: null,
  installed: null,
});

/** The preset of a mind; null if the mind has none, or one of a newer village. */
const presetOf = ({ preset }: Pick<Mind, 'preset'>): AcpPreset | null =>
  preset !== null && isAcpPreset(preset) ? ACP_PRESETS[preset] : null;

/**
 * The mind that an Agent names in `spec.runtime`; null if it names none. It has no version, because only the pod knows
 * which one runs.
 */
export function namedMind({ name, config = {} }: AgentSpec['runtime']): Mind | null {
  if (name === undefined) return null;
  const mind = mindOfRuntime(name);
  const { command = '' } = config;
  const preset = name === ACP_RUNTIME ? mindWord(config['preset']) : null;
  if (preset !== null) return { ...mind, preset, program: presetOf({ preset })?.title ?? preset };
  return { ...mind, program: mindWord(command.slice(command.lastIndexOf('/') + 1)) };
}

/** The facts that the village knows about a runtime. */
export interface RuntimeFacts {
  /** A mind of the village in words; null for a program of another maker. */
  readonly own: string | null;
  /** True if its runs are in the journal: they wait for people, and continue after a restart. */
  readonly isJournaled: boolean;
  /** True if rules of the village choose its words, without a language model. */
  readonly isScripted: boolean;
  /** True if a program does a whole run, as the only call of that run, which has the name of the runtime. */
  readonly isOneCall: boolean;
}

const UNKNOWN: RuntimeFacts = { own: null, isJournaled: false, isScripted: false, isOneCall: false };
const PROGRAM: RuntimeFacts = { ...UNKNOWN, isJournaled: true, isOneCall: true };
const RUNTIMES: ReadonlyMap<string, RuntimeFacts> = new Map([
  ['engine', { ...UNKNOWN, own: "Hamlet's engine", isJournaled: true }],
  ['workflow', { ...UNKNOWN, own: "Hamlet's workflows", isJournaled: true }],
  ['scripted', { ...UNKNOWN, own: "Hamlet's scripted mind", isScripted: true }],
  ['stub', { ...UNKNOWN, own: 'A stub for tests', isScripted: true }],
  ['command', PROGRAM],
  [ACP_RUNTIME, PROGRAM],
]);

export const runtimeFacts = (runtime: string): RuntimeFacts => RUNTIMES.get(runtime) ?? UNKNOWN;

/** A mind in words: `Claude Code 0.101.0`, `Hamlet's engine`, `command: aider`. */
export function mindLabel({ runtime, program, version }: Pick<Mind, 'runtime' | 'program' | 'version'>): string {
  if (program === null) return runtimeFacts(runtime).own ?? runtime;
  const known = version === null ? program : `${program} ${version}`;
  return runtime === 'command' ? `command: ${known}` : known;
}

/** True for a program of another maker, about which the village can promise less. */
export const isForeign = ({ runtime }: Pick<Mind, 'runtime'>): boolean => runtimeFacts(runtime).own === null;

/** Size and licence of a preset's program, and whether it is installed; null for any other mind. */
export function installLabel(mind: Pick<Mind, 'preset' | 'installed'>): string | null {
  const preset = presetOf(mind);
  if (preset === null) return null;
  const { title, version, megabytes, licence } = preset;
  const facts = `${megabytes} MB, licence ${licence}`;
  if (mind.installed === true) return `Installed: ${facts}`;
  const unless = mind.installed === null ? ' unless it is there' : '';
  return `Its first run installs ${title} ${version}${unless}: ${facts}`;
}

const PROMISE =
  'Its own words about what it did are claims; the container and the broker are the boundary: see docs/SECURITY.md, "Minds of others".';

/** Notes on a mind for people: its installation, its behaviour, and the village's promise. Empty for a mind of the village. */
export function mindNotes(mind: Mind): readonly string[] {
  const install = installLabel(mind);
  const note = presetOf(mind)?.note ?? null;
  return [install && `${install}.`, note, isForeign(mind) ? PROMISE : null].filter((each) => each !== null);
}

/** The mind in the detail of a `started` or `redelivered` event; null if an older village wrote it. */
export function mindIn(detail: object): Mind | null {
  const found = Mind.safeParse('mind' in detail ? detail.mind : null);
  return found.success ? found.data : null;
}

/** A program of `acp` has no version before its first start; it then counts as the one that ran before. */
function isSame(before: Mind, after: Mind): boolean {
  if (before.runtime !== after.runtime || before.preset !== after.preset) return false;
  if (after.runtime === ACP_RUNTIME && (before.version === null || after.version === null)) return true;
  return before.program === after.program && before.version === after.version;
}

/** Takes minds in the order of their work, and says where another one begins. Mutable: it keeps the last one. */
export class MindCourse {
  readonly #agent: string;
  #last: Mind | null = null;

  constructor(agent: string) {
    this.#agent = agent;
  }

  /** The line about the next mind; null if it is the same, the first or unknown. */
  next(mind: Mind | null): string | null {
    const before = this.#last;
    if (mind === null) return null;
    const stays = before !== null && isSame(before, mind);
    if (!stays || mind.version !== null) this.#last = mind;
    return before === null || stays
      ? null
      : `${this.#agent}'s mind changed from ${mindLabel(before)} to ${mindLabel(mind)}`;
  }
}
