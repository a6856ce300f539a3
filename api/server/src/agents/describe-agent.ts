import { CHAIN, durationMs, firstUnmet, formatAiDollars, NET_TOOLS } from '@hamlet/contract';
import type {
  AgentConfig,
  AgentDetail,
  AgentPlace,
  AgentSpec,
  AgentView,
  EntitlementSpec,
  EntitlementView,
  Limits,
  SkillFrom,
  Standing,
  TierPrice,
  VillageEgress,
} from '@hamlet/contract';
import { hashText, limitsOfTier, namedMind } from '@hamlet/core';
import { bytes } from '@hamlet/core/seats';
import type { PresenceRow, ReportedMind } from '@hamlet/store';
import type { ModelAsk } from '../gateway/models/choose-model.ts';
import type { AgentRecord, EntitlementRecord } from './agent-source.ts';

function presenceOf(record: AgentRecord, row: PresenceRow | null): PresenceRow | null {
  return row?.uid === record.uid ? row : null;
}

function placeless(record: AgentRecord): AgentPlace {
  return {
    agent_id: record.agentId,
    display_name: record.spec.displayName ?? record.agentId,
    position: { x: 0, y: 0 },
    moving_to: null,
    activity: record.spec.power === 'Asleep' ? 'sleeping' : 'idle',
    speech: null,
    inventory: [],
    zone_id: null,
    landmark_id: null,
    home: record.spec.home ?? '',
  };
}

export function agentView(record: AgentRecord, place: AgentPlace | null, row: PresenceRow | null): AgentView {
  const presence = presenceOf(record, row);
  const online = presence?.connected === true;
  const asleep = record.spec.power === 'Asleep';
  return {
    ...(place ?? placeless(record)),
    power: record.spec.power,
    status: {
      online,
      last_seen: presence?.lastSeen.toISOString() ?? null,
      health: asleep ? 'asleep' : online ? 'healthy' : 'unreachable',
    },
  };
}

const NOT_OBSERVED = 'The operator has not written the status of this agent yet.';

export function whyOf(record: AgentRecord, online: boolean): AgentDetail['why'] {
  const conditions = new Map((record.status.conditions ?? []).map((condition) => [condition.type, condition]));
  if (record.spec.power === 'Asleep') {
    // The operator's message takes precedence.
    const said = [...conditions.values()].find(({ reason }) => reason === 'Asleep');
    return {
      ready: false,
      reason: 'Asleep',
      message: said?.message ?? 'spec.power is Asleep: write Awake to let the agent run',
    };
  }
  const quarantined = conditions.get('Quarantined');
  if (quarantined?.status === 'True') return { ready: false, reason: quarantined.reason, message: quarantined.message };
  const chain = CHAIN.flatMap((type) => conditions.get(type) ?? []);
  // The resident of a new agent may connect before the operator writes the first status.
  if (chain.length === 0) return { ready: false, reason: 'NotObserved', message: NOT_OBSERVED };
  const blocking = firstUnmet(chain);
  if (blocking !== undefined) return { ready: false, reason: blocking.reason, message: blocking.message };
  if (!online) return { ready: false, reason: 'NotConnected', message: 'The resident has not reached the API yet.' };
  return { ready: true, reason: 'Ready', message: 'The agent is in the world and connected.' };
}

export function limitsOf(
  entitlement: EntitlementSpec | null,
  raise: (limits: Limits) => Limits = (limits) => limits,
): Limits | null {
  return entitlement === null ? null : raise(limitsOfTier(entitlement));
}

function priceOfTier({ price }: EntitlementSpec): TierPrice {
  return { per_hour: price.perHour, per_thousand_tokens: price.perThousandTokens };
}

function conditionsOf(conditions: AgentRecord['status']['conditions']): AgentDetail['conditions'] {
  return (conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message,
    last_transition_time: lastTransitionTime,
  }));
}

export function entitlementView({ name, spec, status, etag }: EntitlementRecord): EntitlementView {
  const { resources, gpu, priorityClassName } = spec.compute;
  return {
    name,
    rank: spec.rank,
    min_balance: spec.minBalance,
    limits: limitsOfTier(spec),
    compute: {
      cpu: resources.cpu,
      memory: resources.memory,
      gpu: {
        mode: gpu.mode,
        resource_name: gpu.resourceName ?? null,
        count: gpu.count,
        claim_template_name: gpu.claimTemplateName ?? null,
      },
      priority_class_name: priorityClassName ?? null,
    },
    price: priceOfTier(spec),
    seats: status.seats ?? null,
    agents: status.agents ?? 0,
    conditions: conditionsOf(status.conditions),
    etag: etag ?? null,
  };
}

function personaOf({ spec }: AgentRecord): Omit<AgentConfig['persona'], 'amended'> {
  const { identity = '', personality = '', instructions = '' } = spec.persona ?? {};
  return { identity, personality, instructions };
}

/** True if other systems may call the agent over A2A. */
export const servesA2a = ({ spec, deleting }: Pick<AgentRecord, 'spec' | 'deleting'>): boolean =>
  spec.a2a?.enabled === true && !deleting;

const a2aOf = (record: AgentRecord): Pick<AgentDetail, 'a2a'> => (servesA2a(record) ? { a2a: true } : {});

export interface Described {
  readonly record: AgentRecord;
  readonly place: AgentPlace | null;
  readonly presence: PresenceRow | null;
  readonly entitlement: EntitlementSpec | null;
  readonly standing: Standing;
}

const withoutId = ({ agent_id: _id, ...standing }: Standing): AgentDetail['standing'] => standing;

export interface Holdings {
  readonly balance: bigint | undefined;
  readonly raise: (limits: Limits) => Limits;
  readonly reported: ReportedMind | undefined;
}

/** The mind that the pod reported, unless the Agent names another since. */
export function mindOf({ spec, uid }: AgentRecord, reported: ReportedMind | undefined): AgentDetail['mind'] {
  const named = namedMind(spec.runtime);
  if (reported === undefined || reported.uid !== uid) return named;
  const { mind } = reported;
  const isOther = named !== null && (mind.runtime !== named.runtime || mind.preset !== named.preset);
  return isOther ? named : mind;
}

export function agentDetail(
  { record, place, presence, entitlement, standing }: Described,
  { balance, raise, reported }: Holdings,
): AgentDetail {
  const view = agentView(record, place, presence);
  const { spec, status } = record;
  return {
    ...view,
    persona: personaOf(record),
    entitlement: {
      tier: status.tier ?? null,
      policy: spec.entitlement.policy,
      pinned_to: (spec.entitlement.policy === 'Pinned' ? spec.entitlement.name : null) ?? null,
      limits: limitsOf(entitlement, raise),
      price: entitlement === null ? null : priceOfTier(entitlement),
    },
    tier: status.tier ?? null,
    standing: withoutId(standing),
    balance: balance === undefined ? null : formatAiDollars(balance),
    node: status.nodeName ?? null,
    pod: status.podName ?? null,
    cycle: status.cycle ?? 0,
    conditions: conditionsOf(status.conditions),
    why: whyOf(record, view.status.online),
    mind: mindOf(record, reported),
    uid: record.uid,
    created_at: record.createdAt,
    ...a2aOf(record),
  };
}

function runtimeOf({ spec: { runtime } }: AgentRecord): AgentConfig['runtime'] {
  const { name = 'scripted', config = {} } = runtime;
  return { name, named: runtime.name !== undefined, config };
}

export function ownRepository({ spec }: Pick<AgentRecord, 'spec'>): AgentConfig['repository'] {
  return spec.repository === undefined ? null : { url: spec.repository.url, branch: spec.repository.branch ?? 'main' };
}

const MCP_CALL_TIMEOUT = '60s';

function mcpServersOf({ spec: { mcpServers = [] } }: AgentRecord): AgentConfig['mcp_servers'] {
  return mcpServers.map(({ name, url, command, class: toolClass, tools, callTimeout }) => ({
    name,
    url: url ?? null,
    command: command ?? null,
    class: toolClass ?? null,
    tools: tools ?? null,
    call_timeout_ms: durationMs(callTimeout ?? MCP_CALL_TIMEOUT),
  }));
}

const SKILL_SOURCES = { Image: 'image', ConfigMap: 'config_map', Repository: 'repository' } as const;

export const skillSource = ({ from = 'Image' }: Pick<NonNullable<AgentSpec['skills']>[number], 'from'>): SkillFrom =>
  SKILL_SOURCES[from];

function skillsOf({ spec: { skills = [] } }: AgentRecord): AgentConfig['skills'] {
  return skills.map((skill) => ({ name: skill.name, from: skillSource(skill), sha256: skill.sha256 ?? null }));
}

const secretsOf = ({ spec: { egress } }: AgentRecord): AgentConfig['secrets'] =>
  (egress?.allow ?? []).flatMap(({ host, secret }) => (secret === undefined ? [] : [{ host, name: secret }]));

export interface ConfigParts {
  readonly chooseModel: (ask: ModelAsk) => AgentConfig['model'];
  readonly search: AgentConfig['search'];
  readonly outsideAgents: VillageEgress['agents'];
}

const canBrowse = (entitlement: Described['entitlement']): boolean =>
  entitlement !== null && bytes(entitlement.compute.resources.memory) >= bytes(NET_TOOLS.browser_open.memory);

/** The configuration of a resident. The seed derives from the name, so an agent keeps its character across lives. */
export function agentConfig(
  { record, place, entitlement }: Pick<Described, 'record' | 'place' | 'entitlement'>,
  raise: Holdings['raise'],
  { chooseModel, search, outsideAgents }: ConfigParts,
): AgentConfig {
  const { spec, status } = record;
  const limits = limitsOf(entitlement, raise);
  return {
    agent_id: record.agentId,
    display_name: spec.displayName ?? record.agentId,
    persona: { ...personaOf(record), amended: '' },
    loop_every_ms: durationMs(spec.loop.every),
    runtime: runtimeOf(record),
    repository: ownRepository(record),
    mcp_servers: mcpServersOf(record),
    search,
    outside_agents: outsideAgents.map(({ name, url, secret }) => ({ name, url, secret })),
    secrets: secretsOf(record),
    skills: skillsOf(record),
    home: spec.home ?? place?.home ?? null,
    tier: status.tier ?? null,
    limits,
    can_browse: canBrowse(entitlement),
    model: chooseModel({
      agentId: record.agentId,
      asked: spec.model,
      tier: status.tier ?? null,
      models: limits?.models ?? [],
    }),
    seed: hashText(record.agentId),
  };
}
