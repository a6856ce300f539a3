import type { Agent, Condition, ConditionType } from '@hamlet/contract/kinds';
import { CHAIN, firstUnmet, PAST_TROUBLE, REASONS } from '@hamlet/contract/kinds';

export interface Link {
  readonly type: ConditionType;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string | null;
}

type Trouble = Link & { readonly advice: string | null };

export interface Explanation {
  readonly agent: string;
  readonly ready: boolean;
  readonly blocking: Trouble | null;
  /** The condition of the hands if they do not run or have restarted; the agent may be ready nevertheless. */
  readonly hands: Trouble | null;
  readonly capabilities: Trouble | null;
  readonly rules: Trouble | null;
  readonly chain: readonly Link[];
  readonly cycle: number;
  readonly tier: string | null;
  readonly pod: string | null;
  readonly node: string | null;
  readonly last_seen: string | null;
}

const advices = new Map<string, string>(Object.entries(REASONS));

function linkOf(conditions: readonly Condition[], type: ConditionType): Link {
  const found = conditions.find((condition) => condition.type === type);
  if (found !== undefined) {
    const { status, reason, message, lastTransitionTime: since } = found;
    return { type, status, reason, message, since };
  }
  const message = 'the operator has not set this condition yet: check that the operator runs';
  return { type, status: 'Unknown', reason: 'NotObserved', message, since: null };
}

/**
 * The condition that blocks an agent; the last one if the agent is asleep, because the others wait until it awakens.
 */
function blockingLink(chain: readonly Link[], asleep: boolean): Link | undefined {
  const last = chain.at(-1);
  if (last?.status === 'True') return undefined;
  return asleep ? last : firstUnmet(chain);
}

function adviceFor({ reason }: Link, name: string): string | null {
  if (reason === 'Asleep') return `wake it: kubectl hamlet awake ${name}`;
  if (reason === 'CrashLooping') return `read its log: kubectl hamlet logs ${name} --previous`;
  return advices.get(reason) ?? null;
}

/** Reasons why hands do not run that are not faults. */
const CALM: ReadonlySet<string> = new Set(['Waiting', 'Asleep', 'Starting']);

/** True if a condition outside the chain reports trouble. An older operator may not write the condition. */
const IS_TROUBLE = {
  HandsReady: ({ status, reason }: Link) => PAST_TROUBLE.has(reason) || (status === 'False' && !CALM.has(reason)),
  CapabilitiesReady: ({ reason }: Link) => reason === 'CapabilityMissing' || reason === 'MemoryShort',
  RulesChecked: ({ reason }: Link) => reason === 'RuleBroken' || reason === 'NameUnknown',
} as const;

export function explain({ metadata, spec, status = {} }: Agent): Explanation {
  const { conditions = [], cycle = 0, tier = null, podName: pod = null, nodeName: node = null } = status;
  const chain = CHAIN.map((type) => linkOf(conditions, type));
  const link = blockingLink(chain, spec.power === 'Asleep');
  const advised = (found: Link): Trouble => ({ ...found, advice: adviceFor(found, metadata.name) });
  const blocking = link === undefined ? null : advised(link);
  const facts = { cycle, tier, pod, node, last_seen: status.lastSeen ?? null };
  const beside = (type: keyof typeof IS_TROUBLE): Trouble | null => {
    const found = linkOf(conditions, type);
    return IS_TROUBLE[type](found) ? advised(found) : null;
  };
  const [hands, capabilities, rules] = [beside('HandsReady'), beside('CapabilitiesReady'), beside('RulesChecked')];
  return { agent: metadata.name, ready: blocking === null, blocking, hands, capabilities, rules, chain, ...facts };
}

const SIGNS: Readonly<Record<string, string>> = { True: '✓', False: '✗' };

function headText({ agent, blocking, ...facts }: Explanation): string {
  if (blocking !== null) return `${agent} does not run: ${blocking.message}`;
  const where = { cycle: facts.cycle, tier: facts.tier, pod: facts.pod, node: facts.node };
  const known = Object.entries(where).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  return `${agent} is in the world (${known.join(', ')})`;
}

export function explanationText(explanation: Explanation): string {
  const { blocking, hands, capabilities, rules, chain } = explanation;
  const beside = [hands, capabilities, rules].filter((trouble) => trouble !== null);
  const lines = [...chain, ...beside].map(({ type, status, reason, message }) =>
    `  ${SIGNS[status] ?? '?'} ${type.padEnd(13)} ${reason.padEnd(20)} ${message}`.trimEnd(),
  );
  const advice = [blocking, ...beside].flatMap((trouble) =>
    trouble === null || trouble.advice === null ? [] : ['', `How to fix ${trouble.reason}: ${trouble.advice}`],
  );
  return [headText(explanation), '', ...lines, ...advice].join('\n');
}
