import { Agent, Entitlement, EntitlementSpec, type AgentStatus, type EntitlementStatus } from '@hamlet/contract/kinds';
import { slim, type KubeObject, type StoredMeta } from '@hamlet/kube';
import type * as z from 'zod';
import { bytes, cpuMillis, quantity } from '@hamlet/core/seats';
import type { AgentView, Allocatable, ClaimView, NodeView, TierView } from './views.ts';

type Raw = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

const problemOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

type ReadSpec = Pick<AgentView, 'spec' | 'problem'>;

function readSpec(raw: unknown): ReadSpec {
  const parsed = Agent.shape.spec.safeParse(raw);
  if (!parsed.success) return { spec: undefined, problem: problemOf(parsed.error) };
  const { power, rebootedAt, entitlement, memory, placement, isolation } = parsed.data;
  return {
    spec: { power, entitlement, memory, placement, isolation, ...(rebootedAt === undefined ? {} : { rebootedAt }) },
    problem: undefined,
  };
}

/** A spec has another generation with every change. */
const isOfSameSpec = ({ uid, generation }: StoredMeta, held: StoredMeta): boolean =>
  generation !== undefined && generation === held.generation && uid === held.uid;

/**
 * An Agent without its texts. What cannot be read (written under an older schema) becomes a problem, not an exception.
 * @param held what is known of it already: the same spec is not read again, at each change of a status
 */
export function agentView(raw: Raw, held?: AgentView): AgentView {
  const { metadata } = slim(raw);
  const { spec, problem } = held !== undefined && isOfSameSpec(metadata, held.metadata) ? held : readSpec(raw.spec);
  // The status is ours, and the API server has held it to the same schema.
  return { metadata, status: (raw.status ?? {}) as AgentStatus, spec, problem };
}

/** An Entitlement that cannot be read ranks as if it were not there: see `isReadable`. */
export function tierView(raw: Raw): TierView {
  const parsed = Entitlement.shape.spec.safeParse(raw.spec);
  return {
    metadata: slim(raw).metadata,
    spec: parsed.success ? parsed.data : UNREADABLE,
    status: (raw.status ?? {}) as EntitlementStatus,
  };
}

const UNREADABLE = EntitlementSpec.parse({
  rank: 0,
  limits: { requestsPerMinute: 0, concurrentTools: 0, tokensPerHour: 0 },
});

export function isReadable(tier: TierView): boolean {
  return tier.spec !== UNREADABLE;
}

export function claimView(raw: Raw): ClaimView {
  return { metadata: slim(raw).metadata };
}

/** Of a node as the API server answers it, what is read here. */
interface RawNode extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly allocatable?: Readonly<Record<string, string>>;
  };
}

function allocatableOf({
  cpu = '0',
  memory = '0',
  pods = '0',
  ...others
}: Readonly<Record<string, string>>): Allocatable {
  const devices = Object.entries(others)
    .filter(([name]) => name.includes('/'))
    .map(([name, amount]) => [name, quantity(amount)]);
  return {
    cpuMillis: cpuMillis(cpu),
    memoryBytes: bytes(memory),
    pods: quantity(pods),
    devices: Object.fromEntries(devices),
  };
}

export function nodeView({ metadata, spec, status }: RawNode): NodeView {
  const { name, uid, resourceVersion } = metadata;
  return {
    metadata: { name, uid, resourceVersion },
    ready: status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
    cordoned: spec?.unschedulable === true,
    allocatable: allocatableOf(status?.allocatable ?? {}),
    taints: spec?.taints?.flatMap(({ key, effect }) => (effect === 'PreferNoSchedule' ? [] : [key])) ?? [],
  };
}
