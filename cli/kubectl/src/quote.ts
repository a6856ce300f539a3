import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import { AgentSpec, EntitlementSpec, ScheduleSpec, type Agent, type Entitlement } from '@hamlet/contract/kinds';
import { memoryShortage, presetNamed } from '@hamlet/core/mind-memory';
import { countSlots, describeTiming, nextSlots, readTiming, tierOfBalance, utcText } from '@hamlet/core';
import { isDeepStrictEqual } from 'node:util';

const HOURS_PER_DAY = 24n;
const DAY_MS = 86_400_000;
const NEXT_SHOWN = 5;

/** An object of the file, with its present state and the API server's answer. */
export interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly present: { readonly spec?: unknown } | undefined;
  readonly answer:
    | {
        readonly ok: true;
        readonly object: {
          readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
          readonly spec?: unknown;
        };
      }
    | { readonly ok: false; readonly problem: string };
}

export interface Cluster {
  readonly agents: readonly Agent[];
  readonly tiers: readonly Entitlement[];
}

export interface Quote {
  readonly kind: string;
  readonly name: string;
  readonly action: 'create' | 'change' | 'unchanged' | 'refused';
  readonly makes: readonly string[];
  readonly problems: readonly string[];
  readonly tier?: string;
  /** aiDollars for a day with power Awake. */
  readonly cost_per_day?: string;
  readonly price_per_thousand_tokens?: string;
  readonly seats?: {
    readonly tier: string;
    readonly total: number;
    readonly free_before: number;
    readonly free_after: number;
  };
  readonly firings_per_day?: number;
  readonly next_firings?: readonly string[];
  readonly tells?: readonly string[];
}

type Details = Omit<Quote, 'kind' | 'name' | 'action'>;

export interface PlanReport {
  readonly objects: readonly Quote[];
  readonly cost_per_day: string;
  readonly refused: number;
}

interface Tier {
  readonly name: string;
  readonly spec: EntitlementSpec;
  readonly seats: { readonly total: number; readonly free: number } | undefined;
}

/** State of the plan. `free`, the number of free seats by tier, changes with each object. */
interface Ground {
  readonly tiers: ReadonlyMap<string, Tier>;
  readonly free: Map<string, number>;
  readonly agents: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly cluster: Cluster;
  readonly nowMs: number;
}

const specOf = ({ answer }: Wanted): unknown => (answer.ok ? answer.object.spec : undefined);

function tiersOf(wanted: readonly Wanted[], { tiers }: Cluster): ReadonlyMap<string, Tier> {
  const known = new Map<string, Tier>(
    tiers.map(({ metadata, spec, status }) => [
      metadata.name,
      { name: metadata.name, spec: EntitlementSpec.parse(spec), seats: status?.seats },
    ]),
  );
  for (const object of wanted) {
    const spec = EntitlementSpec.safeParse(specOf(object));
    if (object.kind === 'Entitlement' && spec.success)
      known.set(object.name, { name: object.name, spec: spec.data, seats: known.get(object.name)?.seats });
  }
  return known;
}

function agentsOf(
  wanted: readonly Wanted[],
  { agents }: Cluster,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const all = new Map(agents.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  for (const { kind, name, answer } of wanted)
    if (kind === 'Agent' && answer.ok) all.set(name, answer.object.metadata.labels ?? {});
  return all;
}

/** The tier of an Agent: the pinned one, else the present one, else the tier for a balance of 0. */
function tierOf({ entitlement }: AgentSpec, current: string | undefined, tiers: Ground['tiers']): Tier | undefined {
  if (entitlement.policy === 'Pinned') return tiers.get(entitlement.name ?? '');
  if (current !== undefined) return tiers.get(current);
  const ladder = [...tiers.values()].map(({ name, spec: { rank, minBalance } }) => {
    return { name, rank, minBalance: parseAiDollars(minBalance) };
  });
  return tiers.get(tierOfBalance(ladder, 0n, null) ?? '');
}

/** Takes a seat (-1), frees one (1) or only counts (0). Undefined while the operator has not counted the seats. */
function seat({ name, seats }: Tier, delta: -1 | 0 | 1, free: Map<string, number>): Quote['seats'] {
  if (seats === undefined) return undefined;
  const before = free.get(name) ?? seats.free;
  const after = Math.max(0, before + delta);
  free.set(name, after);
  return { tier: name, total: seats.total, free_before: before, free_after: after };
}

const isAwake = (spec: AgentSpec | undefined): boolean => spec?.power === 'Awake';

function seatChange(before: AgentSpec | undefined, spec: AgentSpec): -1 | 0 | 1 {
  if (isAwake(before) === isAwake(spec)) return 0;
  return isAwake(spec) ? -1 : 1;
}

function noTier({ entitlement }: AgentSpec): string {
  if (entitlement.policy === 'Pinned')
    return `spec.entitlement names "${entitlement.name ?? ''}", and there is no such Entitlement: create it, or name another`;
  return 'no Entitlement is open to a balance of 0: create one with minBalance "0"';
}

function seatProblem(seats: Quote['seats'], delta: number): readonly string[] {
  if (delta >= 0 || seats === undefined || seats.free_before > 0) return [];
  return [
    `no seat of ${seats.tier} is free (${seats.total} in all): the agent waits, unless its tier outranks that of another agent, which then gives up its seat`,
  ];
}

/** Runs of a program fail in a tier with too little memory for it. */
function memoryProblem({ runtime, hands }: AgentSpec, tier: Tier, tiers: Ground['tiers']): readonly string[] {
  const preset = presetNamed(runtime);
  if (preset === null || hands?.enabled === false) return [];
  const known = [...tiers.values()].map(({ name, spec }) => {
    return { name, rank: spec.rank, memory: spec.compute.resources.memory };
  });
  const problem = memoryShortage(preset, { name: tier.name, memory: tier.spec.compute.resources.memory }, known);
  return problem === null ? [] : [problem];
}

function madeFor(
  { name, present }: Wanted,
  spec: AgentSpec,
  { tier, delta }: { readonly tier: Tier | undefined; readonly delta: number },
): readonly string[] {
  const volume = present === undefined ? [`volume ${name}-home of ${spec.memory.size}`] : [];
  if (delta >= 0) return volume;
  const size =
    tier === undefined ? '' : ` with ${tier.spec.compute.resources.cpu} cpu and ${tier.spec.compute.resources.memory}`;
  return [...volume, `a pod${size}`];
}

function agentQuote(wanted: Wanted, spec: AgentSpec, { tiers, free, cluster }: Ground): Details {
  const delta = seatChange(AgentSpec.safeParse(wanted.present?.spec).data, spec);
  const tier = tierOf(spec, cluster.agents.find(({ metadata }) => metadata.name === wanted.name)?.status?.tier, tiers);
  const makes = madeFor(wanted, spec, { tier, delta });
  if (tier === undefined) return { makes, problems: [noTier(spec)] };
  const { perHour, perThousandTokens } = tier.spec.price;
  const seats = seat(tier, delta, free);
  return {
    makes,
    problems: [...memoryProblem(spec, tier, tiers), ...seatProblem(seats, delta)],
    tier: tier.name,
    cost_per_day: isAwake(spec) ? formatAiDollars(parseAiDollars(perHour) * HOURS_PER_DAY) : '0',
    price_per_thousand_tokens: perThousandTokens,
    ...(seats === undefined ? {} : { seats }),
  };
}

function targetsOf({ agentName, selector }: ScheduleSpec, agents: Ground['agents']): readonly string[] {
  if (agentName !== undefined) return agents.has(agentName) ? [agentName] : [];
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return [...agents].flatMap(([name, labels]) =>
    wanted.every(([label, value]) => labels[label] === value) ? [name] : [],
  );
}

function scheduleQuote(spec: ScheduleSpec, { agents, nowMs }: Ground): Details {
  const reading = readTiming(spec);
  if (!reading.ok) return { makes: [], problems: [reading.problem] };
  const tells = targetsOf(spec, agents);
  const next = nextSlots(reading.timetable, nowMs, NEXT_SHOWN).map(utcText);
  const absence =
    spec.agentName === undefined ? 'no Agent has the labels of the selector' : `there is no Agent "${spec.agentName}"`;
  const problems = [
    ...(next.length === 0 ? [`no date in the next fifty years fits "${describeTiming(spec)}"`] : []),
    ...(tells.length === 0 ? [`${absence}: nothing will fire`] : []),
  ];
  return {
    makes: [],
    problems,
    tells,
    firings_per_day: spec.suspend ? 0 : countSlots(reading.timetable, { afterMs: nowMs, untilMs: nowMs + DAY_MS }),
    next_firings: spec.suspend ? [] : next,
  };
}

function entitlementQuote({ price, compute }: EntitlementSpec): Details {
  return {
    makes: [`seats of ${compute.resources.cpu} cpu and ${compute.resources.memory}, counted from the nodes`],
    problems: [],
    cost_per_day: formatAiDollars(parseAiDollars(price.perHour) * HOURS_PER_DAY),
    price_per_thousand_tokens: price.perThousandTokens,
  };
}

function detailsOf(wanted: Wanted, ground: Ground): Details {
  switch (wanted.kind) {
    case 'Agent':
      return agentQuote(wanted, AgentSpec.parse(specOf(wanted)), ground);
    case 'Schedule':
      return scheduleQuote(ScheduleSpec.parse(specOf(wanted)), ground);
    case 'Entitlement':
      return entitlementQuote(EntitlementSpec.parse(specOf(wanted)));
    default:
      return { makes: [], problems: [] };
  }
}

function actionOf({ present, answer }: Wanted): Quote['action'] {
  if (!answer.ok) return 'refused';
  if (present === undefined) return 'create';
  return isDeepStrictEqual(present.spec, answer.object.spec) ? 'unchanged' : 'change';
}

/** The plan of a file, with the objects in the file's order. Pure. */
export function quote(wanted: readonly Wanted[], cluster: Cluster, nowMs: number): PlanReport {
  const ground: Ground = {
    tiers: tiersOf(wanted, cluster),
    free: new Map(),
    agents: agentsOf(wanted, cluster),
    cluster,
    nowMs,
  };
  const objects = wanted.map((object): Quote => {
    const head = { kind: object.kind, name: object.name, action: actionOf(object) };
    return object.answer.ok
      ? { ...head, ...detailsOf(object, ground) }
      : { ...head, makes: [], problems: [object.answer.problem] };
  });
  const paid = objects.flatMap(({ kind, cost_per_day: cost }) =>
    kind === 'Agent' && cost !== undefined ? [parseAiDollars(cost)] : [],
  );
  return {
    objects,
    cost_per_day: formatAiDollars(paid.reduce((sum, cost) => sum + cost, 0n)),
    refused: objects.filter(({ action }) => action === 'refused').length,
  };
}
