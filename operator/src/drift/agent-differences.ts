import type { AgentBooks, Boost, ComputeClaim, Presence, ScheduleActivity, Standing } from '@hamlet/contract';
import { goodStanding } from '@hamlet/contract';
import { type CachedAgent, isTerminating } from '../objects/cached-objects.ts';
import { podName } from '../objects/names.ts';
import { isLiving, type PodView } from '../objects/pod-view.ts';
import { conditionIn } from '../status/condition.ts';
import type { KnownClaim } from '../village/api-state.ts';
import type { Difference, DriftKind } from './difference.ts';
import type { ScheduleView } from '../kinds/schedule/cached-schedule.ts';

export interface AgentFacts {
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  readonly boost: Boost | undefined;
  readonly claim: KnownClaim | undefined;
}

export interface AgentObjects {
  readonly agent: CachedAgent;
  readonly pods: readonly PodView[];
  readonly tiers: ReadonlySet<string>;
}

export interface AgentSides {
  readonly name: string;
  readonly books: AgentBooks | undefined;
  readonly remembered: AgentFacts;
  readonly objects: AgentObjects | undefined;
}

const NO_BOOKS = { life_uid: null, standing: null, presence: null, claim: null };

const KINDS = {
  life: 'life',
  standing: 'standing',
  quarantine: 'standing',
  tier: 'tier',
  'tier of the balance': 'tier',
  session: 'presence',
  purchases: 'boost',
  money: 'hold',
} as const satisfies Readonly<Record<string, DriftKind>>;

type Found = Omit<Difference, 'of' | 'name'>;
type Sides = readonly [fact: keyof typeof KINDS, database: string, other: string];
type Maybe<T> = T | null | undefined;

const FLAGS = ['killed', 'banned', 'quarantined', 'frozen', 'token_revoked'] as const;

function flagsOf(standing: Maybe<Standing>): string {
  const raised = FLAGS.filter((flag) => standing?.[flag] === true);
  return raised.length === 0 ? 'no measure' : raised.join(', ');
}

const tierOf = (standing: Maybe<Standing>): string => standing?.balance_tier ?? 'no tier';

function boostOf(boost: Maybe<Boost>): string {
  const gpu = boost?.gpu ?? undefined;
  const bought = [
    ...(boost?.priority === true ? ['priority'] : []),
    ...(gpu === undefined ? [] : [`${gpu.count} ${gpu.resource_name}`]),
  ];
  return bought.length === 0 ? 'no purchase' : bought.join(' and ');
}

function sessionOf(presence: Maybe<Presence>): string {
  return presence?.connected === true ? `a session of cycle ${presence.cycle} of ${presence.uid}` : 'no session';
}

function claimOf(claim: Maybe<ComputeClaim & Pick<KnownClaim, 'givenUp'>>): string {
  const { tier, refused } = claim ?? { tier: null, refused: null };
  const suffix = refused === null ? '' : `, ${refused.tier} refused (${refused.reason})`;
  if (!claim || tier === null || claim.givenUp === true) return `no money reserved${suffix}`;
  return claim.held
    ? `money for ${tier} (version ${claim.version})`
    : `${tier} no longer paid (version ${claim.version})`;
}

function memoryDifferences(books: Maybe<AgentBooks>, remembered: AgentFacts): readonly Found[] {
  const all: readonly Sides[] = [
    ['standing', flagsOf(books?.standing), flagsOf(remembered.standing)],
    ['tier of the balance', tierOf(books?.standing), tierOf(remembered.standing)],
    ['session', sessionOf(books?.presence), sessionOf(remembered.presence)],
    ['purchases', boostOf(books?.boost), boostOf(remembered.boost)],
    ['money', claimOf(books?.claim), claimOf(remembered.claim)],
  ];
  return all.flatMap(([fact, database, other]) =>
    database === other ? [] : [{ kind: KINDS[fact], fact, database, other, against: 'operator' }],
  );
}

const kubernetes = (...[fact, database, other]: Sides): Found => ({
  kind: KINDS[fact],
  fact,
  database,
  other,
  against: 'kubernetes',
});

function standingInKubernetes(standing: Standing, { agent, pods }: AgentObjects): readonly Found[] {
  const isBarred = standing.killed || standing.banned || standing.quarantined || standing.frozen;
  const living = isBarred ? pods.find(isLiving) : undefined;
  const condition = conditionIn(agent.status, 'Quarantined')?.status;
  const found: Found[] = [];
  if (living !== undefined) found.push(kubernetes('standing', flagsOf(standing), `the pod ${living.metadata.name}`));
  const quarantine = standing.quarantined ? 'a quarantine' : 'no quarantine';
  if (condition !== undefined && (condition === 'True') !== standing.quarantined)
    found.push(kubernetes('quarantine', quarantine, `the condition Quarantined ${condition}`));
  return found;
}

/** Compares the tiers of balance and status. They may differ while the tier is pinned or unpaid, or has no Entitlement. */
function tierInKubernetes(wanted: string | null, claim: Maybe<ComputeClaim>, objects: AgentObjects): readonly Found[] {
  const { status } = objects.agent;
  const isByBalance = conditionIn(status, 'Entitled')?.reason === 'ByBalance' && !claim?.refused;
  if (!isByBalance || wanted === null || status.tier === undefined) return [];
  if (wanted === status.tier || !objects.tiers.has(wanted)) return [];
  return [kubernetes('tier', wanted, `${status.tier} in the status`)];
}

function sessionInKubernetes(presence: Maybe<Presence>, { agent, pods }: AgentObjects): readonly Found[] {
  const connected = presence?.connected === true && presence.uid === agent.metadata.uid ? presence : undefined;
  const { status, reason } = conditionIn(agent.status, 'Connected') ?? { status: 'Unknown', reason: '' };
  const found = (database: string, other: string): readonly Found[] => [kubernetes('session', database, other)];
  if (connected === undefined)
    return status === 'True' ? found(sessionOf(undefined), 'the condition Connected True') : [];
  const database = `${sessionOf(connected)}, last seen ${connected.last_seen}`;
  const pod = podName(agent.metadata, connected.cycle);
  if (!pods.some(({ metadata }) => metadata.name === pod)) return found(database, `no pod ${pod}`);
  return reason === 'NotConnected' && connected.cycle === agent.status.cycle
    ? found(database, 'the condition Connected False')
    : [];
}

function claimInKubernetes(claim: Maybe<ComputeClaim>, { pods }: AgentObjects): readonly Found[] {
  const uid = claim?.held === true ? claim.pod_uid : null;
  if (uid === null || pods.some(({ metadata }) => metadata.uid === uid)) return [];
  return [kubernetes('money', `time counted for the pod of uid ${uid}`, 'no such pod')];
}

function lifeInKubernetes(lifeUid: string | null, uid: string | undefined): readonly Found[] {
  if (lifeUid === null || lifeUid === uid) return [];
  const other = uid === undefined ? 'no such Agent' : `the Agent of uid ${uid}`;
  return [kubernetes('life', `the open life ${lifeUid}`, other)];
}

function objectDifferences(
  name: string,
  books: Maybe<AgentBooks>,
  objects: AgentObjects | undefined,
): readonly Found[] {
  const { life_uid: lifeUid, standing, presence, claim } = books ?? NO_BOOKS;
  const life = lifeInKubernetes(lifeUid, objects?.agent.metadata.uid);
  if (objects === undefined) return life;
  // The finalizer cleans up after an Agent that is being deleted.
  if (isTerminating(objects.agent)) return [];
  return [
    ...life,
    ...standingInKubernetes(standing ?? goodStanding(name), objects),
    ...tierInKubernetes(standing?.balance_tier ?? null, claim, objects),
    ...sessionInKubernetes(presence, objects),
    ...claimInKubernetes(claim, objects),
  ];
}

/** Every fact of one agent on which the sides differ, including changes in progress: see `judgeDrift`. Pure. */
export function agentDifferences({ name, books, remembered, objects }: AgentSides): readonly Difference[] {
  const found = [...memoryDifferences(books, remembered), ...objectDifferences(name, books, objects)];
  return found.map((each) => ({ ...each, of: 'Agent', name }));
}

interface ScheduleSides {
  readonly schedule: ScheduleView;
  readonly books: ScheduleActivity | undefined;
  readonly remembered: ScheduleActivity | undefined;
}

type Runs = Pick<ScheduleActivity, 'active_runs' | 'last_run_id'>;

const runsOf = (runs: Runs | undefined): string =>
  `${runs?.active_runs ?? 0} under way, the newest ${runs?.last_run_id ?? 'none'}`;

/** The runs in a status, without its newest run if the database has deleted that firing. */
function runsOfStatus({ activeRuns = 0, lastRunID }: ScheduleView['status'], books: Runs | undefined): Runs {
  const isKnown = books !== undefined && books.last_run_id !== null;
  return { active_runs: activeRuns, last_run_id: isKnown ? (lastRunID ?? null) : null };
}

export function scheduleDifferences({ schedule, books, remembered }: ScheduleSides): readonly Difference[] {
  const { metadata, status, lastSlotMs = 0 } = schedule;
  if (metadata.deletionTimestamp !== undefined) return [];
  const of = { kind: 'schedule', of: 'Schedule', name: metadata.name } as const;
  const database = runsOf(books);
  const sides = [
    { other: runsOf(remembered), against: 'operator' },
    { other: runsOf(runsOfStatus(status, books)), against: 'kubernetes' },
  ] as const;
  const runs = sides.flatMap((side) => (side.other === database ? [] : [{ ...of, fact: 'runs', database, ...side }]));
  const slot = books?.last_slot ?? undefined;
  if (slot === undefined || Date.parse(slot) <= lastSlotMs) return runs;
  const later = { database: `the slot ${slot}`, other: `${status.lastSlot ?? 'none'} in the status` };
  return [...runs, { ...of, fact: 'firings', ...later, against: 'kubernetes' }];
}
