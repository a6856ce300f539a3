import { conditionIn, GOOD } from '../kinds/agent/condition/standing.ts';
import { isTerminating } from '../kinds/agent/child/claim.ts';
import {
  isLiving,
  podName,
  type AgentView,
  type Boost,
  type HoldFacts,
  type PodView,
  type Presence,
  type Standing,
} from '../kinds/agent/views.ts';
import type { Difference } from './difference.ts';

/** What one side knows of an agent. Undefined where it knows nothing. */
export interface AgentFacts {
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  readonly boost: Boost | undefined;
  readonly hold: HoldFacts | undefined;
}

/** The same of the database, which also says which life is open. */
export interface AgentInBooks extends AgentFacts {
  readonly lifeUid: string | undefined;
}

/** The objects of an agent in Kubernetes. */
export interface AgentObjects {
  readonly agent: AgentView;
  /** Pods of this life. */
  readonly pods: readonly PodView[];
  /** Names of the tiers that an Agent can have. */
  readonly tiers: ReadonlySet<string>;
}

export interface AgentSides {
  readonly name: string;
  /** Undefined where the database holds nothing of that name. */
  readonly books: AgentInBooks | undefined;
  /** What the api's stream said to this operator. */
  readonly heard: AgentFacts;
  /** Undefined where there is no Agent of that name. */
  readonly objects: AgentObjects | undefined;
}

type Found = Omit<Difference, 'of' | 'name'>;

const NOTHING: AgentInBooks = {
  lifeUid: undefined,
  standing: undefined,
  presence: undefined,
  boost: undefined,
  hold: undefined,
};

const FLAGS = ['killed', 'banned', 'quarantined', 'frozen', 'tokenRevoked'] as const;

function flagsOf(standing: Standing | undefined): string {
  const raised = FLAGS.filter((flag) => standing?.[flag] === true);
  return raised.length === 0 ? 'nothing held against it' : raised.join(', ');
}

const tierOf = (standing: Standing | undefined): string => (standing ?? GOOD).balanceTier ?? 'no tier';

function boostOf(boost: Boost | undefined): string {
  const bought = [
    ...(boost?.priority === true ? ['priority'] : []),
    ...(boost?.gpu === undefined ? [] : [`${boost.gpu.count} ${boost.gpu.resourceName}`]),
  ];
  return bought.length === 0 ? 'nothing bought' : bought.join(' and ');
}

/** A session of an older life, and one that has ended, count alike: nobody is there. */
function sessionOf(presence: Presence | undefined): string {
  return presence?.connected === true ? `a session of cycle ${presence.cycle} of ${presence.uid}` : 'no session';
}

function holdOf(hold: HoldFacts | undefined): string {
  const refused = hold?.refused === undefined ? '' : `, ${hold.refused.tier} refused (${hold.refused.reason})`;
  if (hold?.tier === undefined || hold.givenUp === true) return `nothing set aside${refused}`;
  return hold.held
    ? `money for ${hold.tier} (version ${hold.version})`
    : `${hold.tier} no longer paid (version ${hold.version})`;
}

/** One entry where the two sides say something else. */
function compare(entry: Omit<Found, 'against'>): readonly Found[] {
  return entry.database === entry.other ? [] : [{ ...entry, against: 'operator' }];
}

function unheard(books: AgentInBooks, heard: AgentFacts): readonly Found[] {
  return [
    ...compare({
      kind: 'standing',
      fact: 'standing',
      database: flagsOf(books.standing),
      other: flagsOf(heard.standing),
    }),
    ...compare({
      kind: 'tier',
      fact: 'tier of the balance',
      database: tierOf(books.standing),
      other: tierOf(heard.standing),
    }),
    ...compare({
      kind: 'presence',
      fact: 'session',
      database: sessionOf(books.presence),
      other: sessionOf(heard.presence),
    }),
    ...compare({ kind: 'boost', fact: 'purchases', database: boostOf(books.boost), other: boostOf(heard.boost) }),
    ...compare({ kind: 'hold', fact: 'money', database: holdOf(books.hold), other: holdOf(heard.hold) }),
  ];
}

const kubernetes = (entry: Omit<Found, 'against'>): readonly Found[] => [{ ...entry, against: 'kubernetes' }];

function standingInKubernetes(standing: Standing, { agent, pods }: AgentObjects): readonly Found[] {
  const isBarred = standing.killed || standing.banned || standing.quarantined || standing.frozen;
  const living = pods.find(isLiving);
  const runs =
    isBarred && living !== undefined
      ? kubernetes({
          kind: 'standing',
          fact: 'standing',
          database: flagsOf(standing),
          other: `the pod ${living.metadata.name}`,
        })
      : [];
  const condition = conditionIn(agent.status, 'Quarantined')?.status;
  if (condition === undefined || (condition === 'True') === standing.quarantined) return runs;
  return [
    ...runs,
    ...kubernetes({
      kind: 'standing',
      fact: 'quarantine',
      database: standing.quarantined ? 'one' : 'none',
      other: `the condition Quarantined ${condition}`,
    }),
  ];
}

/** The tier follows the balance once the api has named it, unless somebody pinned another, money lacks for it, or the tier is gone. */
function tierInKubernetes({ standing, hold }: AgentInBooks, { agent, tiers }: AgentObjects): readonly Found[] {
  const [wanted, tier] = [standing?.balanceTier, agent.status.tier];
  const isByBalance = conditionIn(agent.status, 'Entitled')?.reason === 'ByBalance' && hold?.refused === undefined;
  if (!isByBalance || wanted === undefined || tier === undefined) return [];
  if (wanted === tier || !tiers.has(wanted)) return [];
  return kubernetes({ kind: 'tier', fact: 'tier', database: wanted, other: `${tier} in the status` });
}

/** The session in the database is of the pod that Kubernetes runs, and the status says so. */
function sessionInKubernetes({ presence }: AgentInBooks, { agent, pods }: AgentObjects): readonly Found[] {
  const connected = presence?.connected === true && presence.uid === agent.metadata.uid ? presence : undefined;
  const { status, reason } = conditionIn(agent.status, 'Connected') ?? { status: 'Unknown', reason: '' };
  const found = (database: string, other: string): readonly Found[] =>
    kubernetes({ kind: 'presence', fact: 'session', database, other });
  if (connected === undefined)
    return status === 'True' ? found(sessionOf(undefined), 'the condition Connected True') : [];
  const database = `${sessionOf(connected)}, last seen ${connected.lastSeen}`;
  const pod = podName(agent.metadata, connected.cycle);
  if (!pods.some(({ metadata }) => metadata.name === pod)) return found(database, `no pod ${pod}`);
  return reason === 'NotConnected' && connected.cycle === agent.status.cycle
    ? found(database, 'the condition Connected False')
    : [];
}

function holdInKubernetes({ hold }: AgentInBooks, { pods }: AgentObjects): readonly Found[] {
  if (hold?.held !== true || hold.podUid === undefined || pods.some(({ metadata }) => metadata.uid === hold.podUid))
    return [];
  return kubernetes({
    kind: 'hold',
    fact: 'money',
    database: `time counted for the pod of uid ${hold.podUid}`,
    other: 'no such pod',
  });
}

function inKubernetes(books: AgentInBooks, objects: AgentObjects | undefined): readonly Found[] {
  const uid = objects?.agent.metadata.uid;
  const life =
    books.lifeUid !== undefined && books.lifeUid !== uid
      ? kubernetes({
          kind: 'life',
          fact: 'life',
          database: `the open life ${books.lifeUid}`,
          other: uid === undefined ? 'no such Agent' : `the Agent of uid ${uid}`,
        })
      : [];
  // Whatever is about to go is cleared up by its finalizer.
  if (objects === undefined || isTerminating(objects.agent)) return objects === undefined ? life : [];
  return [
    ...life,
    ...standingInKubernetes(books.standing ?? GOOD, objects),
    ...tierInKubernetes(books, objects),
    ...sessionInKubernetes(books, objects),
    ...holdInKubernetes(books, objects),
  ];
}

/** Every fact of one agent of which the sides say something else. A change on its way is among them: see `judgeDrift`. Pure. */
export function agentDifferences({ name, books = NOTHING, heard, objects }: AgentSides): readonly Difference[] {
  return [...unheard(books, heard), ...inKubernetes(books, objects)].map((found) => ({ ...found, of: 'Agent', name }));
}
