import { EGRESS_TOOLS, type EgressWriteKind, type Policy, type TaintMark } from '@hamlet/contract';
import { EGRESS_CLASSES, judgeEgressWrite } from './judge-egress-write.ts';
import { judge } from './judge-shell-call.ts';
import type { Judged } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';

/** The facts by which the API judged a call, stored without its arguments. */
export interface JudgedFacts {
  readonly tool: string;
  /** Class of the call by its arguments; null for an MCP tool or an unknown one. */
  readonly toolClass: string | null;
  /** Classes that a shell command needs; null for another call. */
  readonly classes: readonly string[] | null;
  /** The reasons why the effect of a command is unclear; null if it is clear. */
  readonly unclear: string | null;
  /** The first text from outside that had reached the run; null if none. */
  readonly taint: TaintMark | null;
  /** For a write that leaves a pod: true if a rule of the Agent allows plain writes. */
  readonly byRule: boolean | null;
  /** True if the present egress rules make the broker ask about each write of the agent's pod. */
  readonly brokerAsks: boolean;
}

const KINDS: ReadonlyMap<string, EgressWriteKind> = new Map(
  (Object.entries(EGRESS_TOOLS) as [EgressWriteKind, string][]).map(([kind, tool]) => [tool, kind]),
);

/** Judges a call by its stored facts with the functions that judge live calls. Pure. */
export function judgeFacts(policy: Pick<Policy, 'rules' | 'mcp'>, facts: JudgedFacts): Judged {
  const { tool, toolClass, classes, unclear, brokerAsks } = facts;
  const taint = facts.taint === null ? [] : [facts.taint];
  const kind = KINDS.get(tool);
  if (kind !== undefined) return judgeEgressWrite(policy, { kind, isAllowedByRule: facts.byRule === true, taint });
  const needs = classes === null ? null : { classes, unclear: unclear === null ? [] : [unclear] };
  return judge(policy, { tool, when: 'run', knownClass: toolClass, taint, needs, brokerAsks });
}

/** The classes under which a call is counted; an MCP call counts for its server. Pure. */
export function classesOfFacts({ tool, toolClass, classes }: JudgedFacts): readonly string[] {
  const kind = KINDS.get(tool);
  if (kind !== undefined) return EGRESS_CLASSES[kind];
  const server = mcpServerOf(tool);
  if (server !== null) return [`mcp__${server}`];
  return [...new Set([...(toolClass === null ? [] : [toolClass]), ...(classes ?? [])])];
}
