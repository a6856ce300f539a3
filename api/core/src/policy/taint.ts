import type { CallOccasion, Policy, TaintMark, TaintSource } from '@hamlet/contract';
import { villageTool } from '@hamlet/contract/tools';
import { ruleNames, type Judged } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';

/** Classes through which text from outside could act, in words: in a tainted run a person decides about each such call. */
export const TAINT_ASKS: ReadonlyMap<string, string> = new Map([
  ['publish', 'posts and pushes'],
  ['send', 'what leaves the village'],
  ['speak', 'what the agent says'],
  ['spend', 'spending'],
  ['write_outside', 'changes outside of its machine'],
  ['exec', 'programs'],
  ['install', 'packages'],
  ['persona', 'its personality'],
  ['schedule', 'schedules'],
]);

/** Classes that need no person while only sources that an admin chose have reached the run: what they do stays in the pod. */
const FREE_FOR_SUPPLY: ReadonlySet<string> = new Set(['exec', 'install']);

/** The source of text of the agent's own repository or of a registry that the village opened: an admin chose both. */
export const SUPPLY = 'supply' as const satisfies TaintSource;

/** True if an admin chose every source that has reached a run. Pure. */
export const isOfSupply = (sources: Iterable<TaintSource>): boolean =>
  [...sources].every((source) => source === SUPPLY);

/** The mark that decides about a run: the first from a source that no admin chose, else the first. Pure. */
export const decidingMark = (taint: readonly TaintMark[]): TaintMark | null =>
  taint.find(({ source }) => source !== SUPPLY) ?? taint[0] ?? null;

export interface Bringing {
  readonly source: TaintSource;
  readonly detail: string;
}

/**
 * The taint mark that the start of a call adds to its run; null if its result contains no text of strangers, or only
 * text that the broker lets in: the broker's record marks the run, so that a refused or local request marks nothing.
 * Pure.
 */
export function bringingOf(tool: string): Bringing | null {
  const server = mcpServerOf(tool);
  if (server !== null) return { source: 'mcp', detail: server };
  return villageTool(tool)?.brings === 'outside' ? { source: 'tool', detail: tool } : null;
}

const WORDS: Readonly<Record<TaintSource, (detail: string) => string>> = {
  tool: (detail) => `a result of ${detail}`,
  mcp: (detail) => `the MCP server ${detail}`,
  shell: (detail) => detail,
  egress: (detail) => `a connection to ${detail}`,
  supply: (detail) => `its repository or a registry (${detail})`,
  memory: (detail) => `the memory ${detail}`,
  parent: () => 'the run that delegated it',
  worker: () => 'a worker of the run',
  conversation: () => 'an earlier answer in this conversation',
  script: (detail) => `the script ${detail}`,
};

/** Describes the origin of the text for people and models. Pure. */
const taintInWords = ({ source, detail }: Pick<TaintMark, 'source' | 'detail'>): string => WORDS[source](detail);

interface TaintedCall {
  readonly when: CallOccasion;
  /** Classes that the call needs, each with the names by which a rule may relax it. */
  readonly classes: readonly { readonly name: string; readonly aliases: readonly string[] }[];
  readonly taint: readonly TaintMark[];
  /** True for a tool of an MCP server, which may act outside of the pod, whichever class the Agent gives it; false by default. */
  readonly ofServer?: boolean;
}

/**
 * The reason to ask about a call in a tainted run; null if it needs no class of {@link TAINT_ASKS}, or if village rules
 * with `tainted: allow` name each of them. A run that only its repository and registries have reached runs programs and
 * installs packages without a question: what it does stays in its pod, whose ways out the broker guards. Pure.
 */
export function askIfTainted(
  { rules }: Pick<Policy, 'rules'>,
  { when, classes, taint, ofServer = false }: TaintedCall,
): Judged | null {
  const mark = decidingMark(taint);
  if (mark === null) return null;
  const isFree = (name: string): boolean => !ofServer && mark.source === SUPPLY && FREE_FOR_SUPPLY.has(name);
  const isRelaxed = (names: readonly string[]): boolean =>
    rules.some((rule) => rule.from === 'village' && rule.tainted === 'allow' && ruleNames(rule, { names, when }));
  const asked = classes.flatMap(({ name, aliases }) => {
    const words = TAINT_ASKS.get(name);
    return words === undefined || isFree(name) || isRelaxed([name, ...aliases]) ? [] : [words];
  });
  if (asked.length === 0) return null;
  return {
    verdict: 'ask',
    reason: `Text from outside has reached this run (${taintInWords(mark)}): a person decides about ${asked.join(', ')}`,
  };
}
