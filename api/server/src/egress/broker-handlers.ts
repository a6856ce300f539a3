import { BARS, type EgressAdmission, type EgressNotAdmitted } from '@hamlet/contract';
import { deny, fitsHost, type EgressDenial } from '@hamlet/core/egress';
import type { Db } from '@hamlet/store';
import { beginEgressAttempts, countEgressHour, endEgressAttempts, findAgentSessions, readFreeze } from '@hamlet/store';
import { hashOf } from '../auth/secrets.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, type Refused } from '../http/outcome.ts';
import { isBarred } from '../standing/standing-cache.ts';
import { permitHost } from './writes/permit-host.ts';
import { permitWrite, withdrawWrite } from './writes/permit-write.ts';
import { endedWrites } from './writes/write-effect.ts';
import type { Village } from '../village.ts';

/** Attempts of one life in an hour. Installing a large project makes about 2,000. */
export const EGRESS_ATTEMPTS_AN_HOUR = 20_000;
/** Recorded attempts of one life in an hour: a hundred beyond the limit, which prove the refusals of the broker. */
export const EGRESS_RECORDED_AN_HOUR = EGRESS_ATTEMPTS_AN_HOUR + 100;

const UNKNOWN = deny(
  'egress_identity_refused',
  'the token belongs to no living agent; the resident gets a new one in a moment',
);
const FROZEN = deny(
  'egress_agent_stopped',
  'the village is frozen: its agents can reach no other host until an admin lifts the freeze',
);
const TOO_MANY = deny(
  'egress_too_many',
  `this agent has made ${EGRESS_ATTEMPTS_AN_HOUR} attempts in this hour; wait for the next hour`,
);

const STOPS: ReadonlySet<string> = new Set(BARS);

function denialOf({ reason, detail }: Refused): EgressDenial {
  return STOPS.has(reason) ? deny('egress_agent_stopped', detail ?? 'an admin has stopped this agent') : UNKNOWN;
}

/** The life of a refused token; null for an unknown token, or if the API records no more attempts of the life in this hour. */
async function recordedLife(db: Db, token: string): Promise<NonNullable<EgressNotAdmitted['life']> | null> {
  const [session = null] = await findAgentSessions(db, [hashOf(token)]);
  if (session === null || (await countEgressHour(db, session.uid)) >= EGRESS_RECORDED_AN_HOUR) return null;
  const { agentId: agent, uid, cycle } = session;
  return { agent, uid, cycle };
}

/** Admits or denies a token. A denial names the life, so that attempts of a stopped agent are recorded too. */
async function answerAbout(
  village: Village,
  token: string,
  address: string,
): Promise<EgressAdmission | EgressNotAdmitted> {
  const answer = await admit(village, token, address);
  if (!('verdict' in answer)) return answer;
  const life = await recordedLife(village.db, token);
  return life === null ? answer : { ...answer, life };
}

/** Finds the agent of a token in Postgres, never in a cache: the broker already caches the answer for seconds. */
async function admit(village: Village, token: string, address: string): Promise<EgressAdmission | EgressDenial> {
  // Pods hold tokens of the API, which have no dots. A text with dots may be a projected token, which costs a review by the cluster.
  if (token.includes('.')) return UNKNOWN;
  const { db, source, authenticate, egressOf } = village;
  const headers = { authorization: `Bearer ${token}` };
  const actor = await authenticate({ headers, address, listener: ['agents'], reads: false });
  if ('ok' in actor) return denialOf(actor);
  if (actor.role !== 'agent' || actor.stale || source.get(actor.agentId)?.uid !== actor.uid) return UNKNOWN;
  if ((await readFreeze(db)) !== null) return FROZEN;
  if ((await countEgressHour(db, actor.uid)) >= EGRESS_ATTEMPTS_AN_HOUR) return TOO_MANY;
  const { agentId: agent, uid, cycle } = actor;
  return { agent, uid, cycle, policy: egressOf(agent) };
}

const NO_SECRET = { value: null, for_host: true } as const;

export function brokerHandlers(village: Village) {
  const { db, source, standing, egressOf, isSupply, brokerFeed, egressSecrets } = village;
  const settleEnded = endedWrites(village);
  return {
    admitEgress: plain(async ({ body, address }) => accepted(await answerAbout(village, body.token, address))),
    keepEgressAttempts: plain(async ({ body }) => {
      const begin = body.begin.map((attempt) => ({ ...attempt, supply: isSupply(attempt) }));
      const begun = await beginEgressAttempts(db, begin, { refusedUpTo: EGRESS_RECORDED_AN_HOUR });
      const ended = await endEgressAttempts(db, body.end);
      await settleEnded(body.end);
      return accepted({ begun, ended });
    }),
    permitEgress: permitWrite(village),
    permitEgressHost: permitHost(village),
    withdrawEgress: withdrawWrite(village),
    readEgressSecret: plain(async ({ body: { uid, name, host } }) => {
      const record = source.list().find((each) => each.uid === uid);
      if (record === undefined || record.deleting || isBarred(standing.get(record.agentId))) return accepted(NO_SECRET);
      const isNamed = egressOf(record.agentId).allow.some((rule) => rule.secret === name && fitsHost(rule.host, host));
      const secret = isNamed ? await egressSecrets.read(name) : null;
      if (secret === null) return accepted(NO_SECRET);
      const isForHost = secret.hosts.some((pattern) => fitsHost(pattern, host));
      return accepted({ value: isForHost ? secret.value : null, for_host: isForHost });
    }),
    openBrokerStream: { kind: 'stream', open: async (_request, sink) => accepted(brokerFeed.open(sink)) },
  } satisfies Partial<Handlers>;
}
