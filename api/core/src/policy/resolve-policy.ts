import {
  RULE_TOOLS_MAX,
  TOOL_CLASSES,
  VILLAGE_TOOL_NAMES,
  VILLAGE_TOOLS,
  villageTool,
  type AgentTools,
  type Policy,
  type PolicyRule,
  type SafeMode,
  type VillageRule,
  type VillageRules,
  type ToolClass,
} from '@hamlet/contract';
import type { Sha256 } from '../sealed-log/hashing.ts';
import type { ResolvedRule } from './judged.ts';
import { rulesInForce, wrongExamples, type CommandClasses } from './rule-examples.ts';
import { isToolName, unknownNames } from './rule-names.ts';

/** Classes that a safe mode permits, because their calls change nothing. Speech leaves no trace, and a worker inherits the mode. */
const UNCHANGING: readonly ToolClass[] = ['read', 'speak', 'network', 'delegate'];
const CHANGING: readonly ToolClass[] = TOOL_CLASSES.filter((name) => !UNCHANGING.includes(name));
/** Tools of permitted classes that nevertheless change the agent's memory or files. */
const CHANGING_TOOLS = ['remember', 'forget', 'pin', 'browser_download'] as const;

const REASONS: Readonly<Record<SafeMode, string>> = {
  analysis_only: 'This run only analyses: it changes nothing. Use tools that read, and answer with what you find',
  dry_run:
    'This is a dry run: the call was not performed. Continue as if it had succeeded, and list in your answer each call that you would have made',
};

/** The rule that denies every change in a run of a safe mode. No other rule overrides a denial. Pure. */
function safeModeRule(mode: SafeMode): Policy['rules'][number] {
  return {
    tools: [...CHANGING, ...CHANGING_TOOLS].toSorted(),
    verdict: 'deny',
    reason: REASONS[mode],
    from: 'safe_mode',
  };
}

/** The village's rules without configuration: everything is allowed, but an agent asks before it spends in a run. */
export const DEFAULT_VILLAGE_RULES: VillageRules = [
  { tools: [...TOOL_CLASSES], verdict: 'allow' },
  { tools: ['spend'], when: 'run', verdict: 'ask', reason: 'A person decides about spending in a run' },
  { tools: ['schedule'], verdict: 'ask', reason: 'A person decides about schedules' },
  { tools: ['send'], verdict: 'ask', reason: 'A person decides about what leaves the village' },
];

export type NarrowingRule = PolicyRule & Pick<NonNullable<AgentTools['rules']>[number], 'examples'>;

export interface PolicyLayers {
  readonly village: VillageRules;
  readonly tier: readonly NarrowingRule[];
  readonly agent: AgentTools | null;
  /** The agent's MCP servers with the class of their tools. */
  readonly mcp?: NonNullable<Policy['mcp']>;
  /** Parses shell commands in the examples of tier and agent; without it, rules with such examples never allow. */
  readonly classesOf?: CommandClasses | undefined;
}

const UNREAD: CommandClasses = () => null;

function resolved(rule: PolicyRule & Pick<VillageRule, 'tainted'>, from: ResolvedRule['from']): ResolvedRule {
  const { tools, when, verdict, reason, tainted } = rule;
  return {
    tools: tools.toSorted(),
    ...(when === undefined ? {} : { when }),
    verdict,
    ...(reason === undefined ? {} : { reason }),
    ...(tainted === undefined || from !== 'village' ? {} : { tainted }),
    from,
  };
}

const SENDING = VILLAGE_TOOL_NAMES.filter((name) => villageTool(name)?.sends !== undefined);

const OF_AGENT = { from: 'agent', reason: 'spec.tools.allow of the Agent does not include this tool' } as const;
const OF_PARENT = { from: 'parent', reason: 'The run that delegated this work did not include this tool' } as const;

/** Denies all tools that a list does not name; empty without a list, or if the list names all tools. */
function unlisted(
  allow: readonly string[] | undefined,
  { from, reason }: Pick<ResolvedRule, 'from'> & { readonly reason: string },
): readonly ResolvedRule[] {
  if (allow === undefined) return [];
  const maySend = ['send', ...SENDING].some((name) => allow.includes(name));
  const tools = [
    ...VILLAGE_TOOL_NAMES.filter((name) => !allow.includes(name) && !allow.includes(VILLAGE_TOOLS[name].class)),
    ...(maySend ? [] : ['send']),
  ];
  return parts(tools, RULE_TOOLS_MAX).map((part) => resolved({ tools: [...part], verdict: 'deny', reason }, from));
}

const parts = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  list.length === 0 ? [] : [list.slice(0, size), ...parts(list.slice(size), size)];

/**
 * The policy of one agent. Its version is the hash of its rules: the same rules have the same version everywhere. Rules of tier and
 * Agent whose examples fail never allow. Pure if `classesOf` is.
 */
export function resolvePolicy({ village, tier, agent, mcp, classesOf = UNREAD }: PolicyLayers, sha256: Sha256): Policy {
  const rules = [
    ...village.map((rule) => resolved(rule, 'village')),
    ...rulesInForce(tier, classesOf).map((rule) => resolved(rule, 'tier')),
    ...rulesInForce(agent?.rules ?? [], classesOf).map((rule) => resolved(rule, 'agent')),
    ...unlisted(agent?.allow, OF_AGENT),
  ];
  return versioned({ rules, mcp: mcp === undefined ? undefined : listedServers(mcp, agent?.allow) }, sha256);
}

function versioned(
  { rules, mcp }: { readonly rules: Policy['rules']; readonly mcp: Policy['mcp'] },
  sha256: Sha256,
): Policy {
  const servers = mcp === undefined ? {} : { mcp };
  const hashed = mcp === undefined ? rules : [rules, servers];
  const bytes = sha256(new TextEncoder().encode(JSON.stringify(hashed)));
  return { version: [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''), rules, ...servers };
}

interface RunNarrowing {
  /** Lists of tools of a worker; a call must be in each, so that no list widens another. */
  readonly lists: readonly (readonly string[])[];
  readonly safeMode: SafeMode | null;
}

/** The policy of a run: the agent's policy, restricted by the lists of tools from its parents and by its safe mode. Pure. */
export function narrowPolicy(policy: Policy, { lists, safeMode }: RunNarrowing, sha256: Sha256): Policy {
  if (lists.length === 0 && safeMode === null) return policy;
  const rules = [
    ...policy.rules,
    ...lists.flatMap((list) => unlisted(list, OF_PARENT)),
    ...(safeMode === null ? [] : [safeModeRule(safeMode)]),
  ];
  const servers = safeMode === null ? lists : [...lists, UNCHANGING];
  const mcp = policy.mcp && servers.reduce<NonNullable<Policy['mcp']>>(listedServers, policy.mcp);
  return versioned({ rules, mcp }, sha256);
}

/** The servers that an Agent's list of tools permits: by class, or by name as `mcp__SERVER`. */
function listedServers(
  mcp: NonNullable<Policy['mcp']>,
  allow: readonly string[] | undefined,
): NonNullable<Policy['mcp']> {
  const isListed = ([name, toolClass]: [string, string | null]): boolean =>
    allow === undefined || allow.includes(`mcp__${name}`) || (toolClass !== null && allow.includes(toolClass));
  return Object.fromEntries(Object.entries(mcp).filter(isListed));
}

/**
 * Errors of the village's rules, each with the fix: failed examples, and unknown names. `wrongExamples` checks examples
 * with a shell command. Pure.
 */
export function checkVillageRules(rules: VillageRules): readonly string[] {
  return [...wrongExamples(rules, null), ...unknownNames(rules), ...rules.flatMap(unknownInExamples)];
}

function unknownInExamples({ examples = {} }: VillageRule, index: number): readonly string[] {
  return [...(examples.match ?? []), ...(examples.not ?? [])]
    .filter(({ tool }) => !isToolName(tool))
    .map(({ tool }) => `rule ${index + 1}: an example has the unknown tool ${tool}: correct the name`);
}
