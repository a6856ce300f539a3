import {
  PROGRAM_CLAIM_MAX_CHARS,
  PROGRAM_DIFFS_MAX,
  PROGRAM_LOCATIONS_MAX,
  PROGRAM_PLAN_MAX,
  type ProgramCallKind,
  storableText,
} from '@hamlet/contract/resident';
import type { ProgramClaim } from '@hamlet/contract';
import { withoutMiddle } from '@hamlet/engine';
import { unifiedDiff } from '../../hands/files/unified-diff.ts';
import type { CallContent, ContentBlock, SessionUpdate } from './updates.ts';

/** The first limit in characters for each text of a claim; a claim that is still too long gets lower ones. */
const FIRST_LIMIT = 3_000;
const LEAST_LIMIT = 40;
const TITLE_SHARE = 4;

/** A call of a program, as its updates describe it so far. */
export interface ProgramCall {
  readonly kind: ProgramCallKind;
  readonly title: string;
  readonly input: string;
  /** The arguments as the program sent them, in a form of its own. */
  readonly raw: unknown;
  readonly output: string;
  readonly locations: readonly Readonly<{ path: string; line: number | null }>[];
  readonly diffs: readonly Readonly<{ path: string; before: string | null; after: string }>[];
}

/** A claim of the program about a call. Pure. */
export const claimOfCall = ({ kind, title, input, output, locations, diffs }: ProgramCall): string =>
  fitting({
    kind,
    title,
    input,
    output,
    locations: locations.slice(0, PROGRAM_LOCATIONS_MAX).map(({ path, line }) => ({ path, line })),
    diffs: diffs
      .slice(0, PROGRAM_DIFFS_MAX)
      .map(({ path, before, after }) => ({ path, diff: withoutMiddle(unifiedDiff(path, before, after), FIRST_LIMIT) })),
    plan: [],
  });

type PlanUpdate = Extract<SessionUpdate, { sessionUpdate: 'plan' }>;

/** A claim of the program about its plan: the first entries, and how many more there are. Pure. */
export function claimOfPlan({ entries }: Pick<PlanUpdate, 'entries'>): string {
  const shown = entries.slice(0, PROGRAM_PLAN_MAX).map(({ content, status }) => ({ text: content, status }));
  const more = entries.length - shown.length;
  const title = more === 0 ? 'Plan' : `Plan, and ${more} more entries`;
  return fitting({ kind: 'plan', title, input: '', output: '', locations: [], diffs: [], plan: shown });
}

/** The words of the program before a call. Pure. */
export const claimOfWords = (output: string): string =>
  fitting({ kind: 'say', title: '', input: '', output, locations: [], diffs: [], plan: [] });

/** The line about the installation of the program. Pure. */
export const claimOfInstall = (title: string, output: string): string =>
  fitting({ kind: 'install', title, input: '', output, locations: [], diffs: [], plan: [] });

/** The claim as JSON, with its texts shortened until it fits in an event. */
function fitting(claim: ProgramClaim): string {
  for (let limit = FIRST_LIMIT; ; limit = Math.floor(limit / 2)) {
    const text = JSON.stringify(shortened(claim, Math.max(limit, LEAST_LIMIT)));
    if (text.length <= PROGRAM_CLAIM_MAX_CHARS || limit <= LEAST_LIMIT) return text;
  }
}

function shortened({ title, input, output, locations, diffs, plan, kind }: ProgramClaim, limit: number): ProgramClaim {
  const long = (text: string): string => storableText(withoutMiddle(text, limit));
  const short = (text: string): string => storableText(withoutMiddle(text, Math.ceil(limit / TITLE_SHARE)));
  return {
    kind,
    title: short(title),
    input: long(input),
    output: long(output),
    locations: locations.map(({ path, line }) => ({ path: short(path), line })),
    diffs: diffs.map(({ path, diff }) => ({ path: short(path), diff: long(diff) })),
    plan: plan.map(({ text, status }) => ({ text: short(text), status })),
  };
}

/** The words in a part of a message. Pure. */
export const textIn = (block: ContentBlock): string =>
  block.type === 'text' ? block.text : block.type === 'resource_link' ? block.uri : '';

/** The words of a result. Pure. */
export const textOfContent = (content: readonly CallContent[]): string =>
  content.flatMap((part) => (part.type === 'content' ? [textIn(part.content)] : [])).join('\n');

/** Raw input or output of a call for people: its command, its text, or JSON. Pure. */
export function rawText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && 'command' in value && typeof value.command === 'string') return value.command;
  return JSON.stringify(value);
}
