import { EGRESS_TOOLS, type EgressWriteKind, type Policy, type TaintMark, type Verdict } from '@hamlet/contract';
import { EGRESS_CLASSES, judgeEgressWrite } from './judge-egress-write.ts';
import { judge } from './judge-shell-call.ts';
import type { Judged } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';

/** The facts by which the API judged a call, kept without its arguments. */
export interface JudgedFacts {
  readonly tool: string;
  /** Class of the call by its arguments; null for a tool of an MCP server, and for one that does not exist. */
  readonly toolClass: string | null;
  /** Classes that a shell command needs; null for another call. */
  readonly classes: readonly string[] | null;
  /** The reasons why the effect of a command cannot be known, in words; null if it is clear. */
  readonly unclear: string | null;
  /** The first text from outside that had reached the run; null if none had. */
  readonly taint: TaintMark | null;
  /** For a write that leaves a pod: whether a rule of the Agent lets plain writes out. */
  readonly byRule: boolean | null;
  /** True if the broker asks about each write of the agent's pod, by the present rules of egress. */
  readonly brokerAsks: boolean;
}

const KINDS: ReadonlyMap<string, EgressWriteKind> = new Map(
  (Object.entries(EGRESS_TOOLS) as [EgressWriteKind, string][]).map(([kind, tool]) => [tool, kind]),
);

/**
 * Judges a call of a run by the facts that the API has kept of it: with the functions that judge calls as they happen, so that a trial
 * says what the API would say. Pure.
 */
export function judgeFacts(policy: Pick<Policy, 'rules' | 'mcp'>, facts: JudgedFacts): Judged {
  const { tool, toolClass, classes, unclear, brokerAsks } = facts;
  const taint = facts.taint === null ? [] : [facts.taint];
  const kind = KINDS.get(tool);
  if (kind !== undefined) return judgeEgressWrite(policy, { kind, isAllowedByRule: facts.byRule === true, taint });
  const needs = classes === null ? null : { classes, unclear: unclear === null ? [] : [unclear] };
  return judge(policy, { tool, when: 'run', knownClass: toolClass, taint, needs, brokerAsks });
}

/** The classes by which rules name a call, for counts; a call of an MCP server has its server. Pure. */
export function classesOfFacts({ tool, toolClass, classes }: JudgedFacts): readonly string[] {
  const kind = KINDS.get(tool);
  if (kind !== undefined) return EGRESS_CLASSES[kind];
  const server = mcpServerOf(tool);
  if (server !== null) return [`mcp__${server}`];
  return [...new Set([...(toolClass === null ? [] : [toolClass]), ...(classes ?? [])])];
}

/** The answer of people to the request for a call, if there was one. */
export type TrialAnswer = 'allowed' | 'denied' | 'expired' | null;

/** A call that the proposed rules judge differently. */
export interface Difference {
  readonly agentId: string;
  readonly classes: readonly string[];
  readonly from: Verdict;
  readonly to: Verdict;
  readonly answer: TrialAnswer;
}

/** Numbers of calls whose verdict changes, by the verdicts. */
export interface ChangeCount {
  readonly from: Verdict;
  readonly to: Verdict;
  calls: number;
}

/** Answers that people gave to calls of one change. */
export interface AnswerCount {
  allowed: number;
  denied: number;
  expired: number;
}

/** Counts the differences of a trial as they are found. Its size depends on the names of classes and agents alone. */
export class TrialTally {
  readonly #changes = new Map<string, ChangeCount & { readonly answers: AnswerCount }>();
  readonly #ofClass = new Map<string, ChangeCount & { readonly name: string }>();
  readonly #ofAgent = new Map<string, ChangeCount & { readonly name: string }>();

  add({ agentId, classes, from, to, answer }: Difference): void {
    const key = `${from}>${to}`;
    const change = this.#changes.get(key) ?? { from, to, calls: 0, answers: { allowed: 0, denied: 0, expired: 0 } };
    change.calls += 1;
    if (answer !== null) change.answers[answer] += 1;
    this.#changes.set(key, change);
    for (const name of classes) count(this.#ofClass, name, { from, to });
    count(this.#ofAgent, agentId, { from, to });
  }

  /** All counts, the greatest first. */
  result() {
    return {
      changes: greatestFirst(this.#changes.values()),
      byClass: greatestFirst(this.#ofClass.values()),
      byAgent: greatestFirst(this.#ofAgent.values()),
    };
  }
}

function count(
  counts: Map<string, ChangeCount & { readonly name: string }>,
  name: string,
  { from, to }: Pick<ChangeCount, 'from' | 'to'>,
): void {
  const key = `${name} ${from}>${to}`;
  const known = counts.get(key) ?? { name, from, to, calls: 0 };
  known.calls += 1;
  counts.set(key, known);
}

const greatestFirst = <T extends ChangeCount>(counts: Iterable<T>): readonly T[] =>
  [...counts].toSorted((a, b) => b.calls - a.calls);
