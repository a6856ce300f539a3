import type { AgentSpec, AgentStatus, EntitlementStatus } from '@hamlet/contract/kinds';
import { Agent, Entitlement, EntitlementSpec, TOOL_CLASSES } from '@hamlet/contract/kinds';
import type { AcpPresetName } from '@hamlet/contract/presets';
import { presetNamed } from '@hamlet/core/mind-memory';
import type { ExampledRule } from '@hamlet/core/rules';
import { bytes, cpuMillis, quantity, type Room } from '@hamlet/core/seats';
import { slim, type KubeObject, type StoredMeta } from '@hamlet/kube';
import type * as z from 'zod';

/** The part of a spec that the operator uses. Texts, such as the persona, are omitted to save memory. */
export type OperatedSpec = Pick<
  AgentSpec,
  'power' | 'rebootedAt' | 'entitlement' | 'memory' | 'placement' | 'isolation' | 'hands'
> & {
  /** The preset that is the mind of the agent, if the mind is a preset. */
  readonly preset?: AcpPresetName;
  /** The rules and the list of tools of the agent; only if they need a check. */
  readonly tools?: CheckableTools;
};

/** The rules of a spec, without their reasons, and an Agent's tools.allow, if its spec has one. */
export interface CheckableTools {
  readonly rules: readonly ExampledRule[];
  readonly allow?: readonly string[];
}

export interface CachedAgent extends KubeObject {
  readonly spec: OperatedSpec | undefined;
  readonly problem: string | undefined;
  readonly status: AgentStatus;
}

export interface TierView extends KubeObject {
  readonly spec: EntitlementSpec;
  readonly status?: EntitlementStatus;
  /** True if the GPUs are those of a GPU window that the agent has bought. */
  readonly windowed?: boolean;
  /** True for an agent without hands: the limits of the tier apply to it, but not its compute. */
  readonly handless?: true;
}

export type VolumeClaimView = KubeObject;

export interface VolumeView extends KubeObject {
  readonly claimUid: string | undefined;
  /** True if only one node can mount the volume. */
  readonly local: boolean;
}

export interface NodeView extends KubeObject {
  readonly ready: boolean;
  readonly cordoned: boolean;
  /** The sum that the pods of the node may request. */
  readonly allocatable: Room;
  /** Keys of the taints that keep away pods without a toleration. */
  readonly taints: readonly string[];
}

export type RawObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

export const problemOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

export function operatedSpec(spec: AgentSpec): OperatedSpec {
  const { power, rebootedAt, entitlement, memory, placement, isolation, hands } = spec;
  const tools = checkableTools(spec.tools);
  const preset = presetNamed(spec.runtime);
  return {
    power,
    entitlement,
    memory,
    placement,
    isolation,
    ...(rebootedAt === undefined ? {} : { rebootedAt }),
    ...(hands === undefined ? {} : { hands }),
    ...(preset === null ? {} : { preset }),
    ...(tools === undefined ? {} : { tools }),
  };
}

const CLASSES: ReadonlySet<string> = new Set(TOOL_CLASSES);

/** True for a name that is not a class: a tool, or unknown. */
const needsCheck = (name: string): boolean => !CLASSES.has(name);

const withoutReason = ({ tools, when, verdict, examples }: ExampledRule): ExampledRule => ({
  tools,
  verdict,
  ...(when === undefined ? {} : { when }),
  ...(examples === undefined ? {} : { examples }),
});

/** The rules and names of a spec; undefined if they need no check. */
export function checkableTools(tools: AgentSpec['tools'] = {}): CheckableTools | undefined {
  const { rules = [], allow = [] } = tools;
  const hasWork = rules.some((rule) => rule.examples !== undefined || rule.tools.some(needsCheck));
  if (!hasWork && !allow.some(needsCheck)) return undefined;
  return { rules: rules.map(withoutReason), ...(allow.length === 0 ? {} : { allow }) };
}

function readSpec(raw: unknown): Pick<CachedAgent, 'spec' | 'problem'> {
  const parsed = Agent.shape.spec.safeParse(raw);
  if (!parsed.success) return { spec: undefined, problem: problemOf(parsed.error) };
  return { spec: operatedSpec(parsed.data), problem: undefined };
}

/** True if the spec is unchanged: the API server changes the generation with every change of a spec. */
const isOfSameSpec = ({ uid, generation }: StoredMeta, held: StoredMeta): boolean =>
  generation !== undefined && generation === held.generation && uid === held.uid;

/**
 * The cached form of an Agent, without its texts. A spec that the operator cannot parse becomes a `problem`, not an
 * exception. An unchanged spec is taken from `held`, the Agent in the cache.
 */
export function cachedAgent(raw: RawObject, held?: CachedAgent): CachedAgent {
  const { metadata } = slim(raw);
  const { spec, problem } = held !== undefined && isOfSameSpec(metadata, held.metadata) ? held : readSpec(raw.spec);
  // The operator writes the status, and the API server has validated it against the same schema.
  return { metadata, status: (raw.status ?? {}) as AgentStatus, spec, problem };
}

const UNREADABLE = EntitlementSpec.parse({
  rank: 0,
  limits: { requestsPerMinute: 0, concurrentTools: 0, tokensPerHour: 0 },
});

/** The cached form of an Entitlement. One that the operator cannot parse counts as missing, see {@link isReadable}. */
export function tierView(raw: RawObject): TierView {
  const parsed = Entitlement.shape.spec.safeParse(raw.spec);
  return {
    metadata: slim(raw).metadata,
    spec: parsed.success ? parsed.data : UNREADABLE,
    status: (raw.status ?? {}) as EntitlementStatus,
  };
}

export function isReadable(tier: TierView): boolean {
  return tier.spec !== UNREADABLE;
}

export const volumeClaimView = (raw: RawObject): VolumeClaimView => ({ metadata: slim(raw).metadata });

interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface RawVolume extends KubeObject {
  readonly spec?: {
    readonly claimRef?: { readonly uid?: string };
    readonly nodeAffinity?: {
      readonly required?: {
        readonly nodeSelectorTerms?: readonly {
          readonly matchExpressions?: readonly NodeRequirement[];
          readonly matchFields?: readonly NodeRequirement[];
        }[];
      };
    };
  };
}

const NAMES_A_NODE: ReadonlySet<string> = new Set(['kubernetes.io/hostname', 'metadata.name']);

const namesOneNode = ({ key, operator, values = [] }: NodeRequirement): boolean =>
  NAMES_A_NODE.has(key) && operator === 'In' && values.length === 1;

/** A volume with several terms may be on several nodes: Kubernetes needs only one of them to match. */
function isLocal({ spec }: RawVolume): boolean {
  const [term, ...others] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (term === undefined || others.length > 0) return false;
  return [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].some(namesOneNode);
}

export function volumeView(raw: RawVolume): VolumeView {
  const { name, uid, resourceVersion } = raw.metadata;
  return { metadata: { name, uid, resourceVersion }, claimUid: raw.spec?.claimRef?.uid, local: isLocal(raw) };
}

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

function allocatableOf({ cpu, memory, pods, ...others }: Readonly<Record<string, string>>): Room {
  const devices = Object.entries(others).filter(([name]) => name.includes('/'));
  return {
    cpuMillis: cpuMillis(cpu),
    memoryBytes: bytes(memory),
    pods: quantity(pods),
    devices: Object.fromEntries(devices.map(([name, amount]) => [name, quantity(amount)])),
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

export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** The deletionTimestamp in ms since 1970: the end of a pod's grace period, otherwise the time of the request. NaN if none. */
export const deletionMs = (object: KubeObject): number => Date.parse(object.metadata.deletionTimestamp ?? '');
