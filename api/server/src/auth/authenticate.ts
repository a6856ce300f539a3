import { ACCOUNT_KEY_PREFIX } from '@hamlet/contract';
import {
  findAccountKeys,
  findAgentSessions,
  findApiKeys,
  findSessions,
  isOutage,
  type AgentBar,
  type FoundAccountKey,
  type FoundApiKey,
} from '@hamlet/store';
import type { IncomingHttpHeaders } from 'node:http';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Actor, AgentActor, Authenticate } from '../http/actor.ts';
import { refused, type Refused } from '../http/outcome.ts';
import { accountObject, refusalOfBan } from './account-actor.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { batchLookup } from './batch-lookup.ts';
import { hashOf } from './secrets.ts';
import { SESSION_IDLE_MS, sessionOf } from '../http/session-cookie.ts';
import type { TokenReviewer } from './token-exchange.ts';
import { throughOutage } from './through-outage.ts';
import type { Services } from '../service/services.ts';

export const AGENT_TOKEN_PREFIX = 'hat_';

interface AgentLife {
  readonly uid: string;
  readonly podUid: string | null;
  readonly cycle: number;
  readonly currentCycle: number;
  readonly bar: AgentBar | null;
}

export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The tokens of a request. Anthropic's clients may send theirs as `x-api-key`, some beside a constant of their own. */
function tokensOf(headers: IncomingHttpHeaders): readonly string[] {
  const key = headers['x-api-key'];
  const isKey = typeof key === 'string' && /^[^\s]+$/.test(key);
  const bearer = bearerOf(headers);
  return [...(isKey ? [key] : []), ...(bearer === null || bearer === key ? [] : [bearer])];
}

interface AuthenticatePorts extends Pick<Services, 'db' | 'monotonicMs'> {
  readonly source: Pick<AgentSource, 'get'>;
  readonly reviewer: TokenReviewer;
}

function lookUpsOf({ db, source, reviewer, monotonicMs }: AuthenticatePorts) {
  return {
    source,
    keyOf: throughOutage(
      batchLookup((tokens) => findApiKeys(db, tokens.map(hashOf))),
      monotonicMs,
    ),
    accountKeyOf: throughOutage(
      batchLookup((tokens) => findAccountKeys(db, tokens.map(hashOf))),
      monotonicMs,
    ),
    agentSessionOf: throughOutage(
      batchLookup((tokens) => findAgentSessions(db, tokens.map(hashOf))),
      monotonicMs,
    ),
    accountOf: throughOutage(
      batchLookup((ids) => findSessions(db, ids.map(hashOf), SESSION_IDLE_MS)),
      monotonicMs,
    ),
    serviceOf: throughOutage((token: string) => reviewer.reviewService(token), monotonicMs, { freshMs: 60_000 }),
  };
}

type LookUps = ReturnType<typeof lookUpsOf>;

function agentActor(source: AuthenticatePorts['source'], agentId: string, life: AgentLife): Actor | Refused {
  if (life.bar !== null) return refusalOfBar(agentId, life.bar);
  const record = source.get(agentId);
  const newest = record?.uid === life.uid ? Math.max(life.currentCycle, record.status.cycle ?? 0) : life.currentCycle;
  return {
    role: 'agent',
    id: `agent ${agentId}`,
    agentId,
    uid: life.uid,
    podUid: life.podUid,
    cycle: life.cycle,
    stale: life.cycle < newest,
  };
}

/** An API key of the role agent is a development token: it is valid for the agent's current cycle. */
function keyActor({ source }: Pick<LookUps, 'source'>, key: FoundApiKey): Actor | Refused {
  if (key.role === 'operator' || key.role === 'broker') return { role: key.role, id: key.role };
  if (key.role !== 'agent') return { role: key.role, id: `key ${key.name}`, accountId: null, name: key.name };
  const record = source.get(key.agentId ?? '');
  if (record === null)
    return refused('token_invalid', `There is no agent ${key.agentId}: create it, or use the key of another agent`);
  const cycle = record.status.cycle ?? 0;
  return agentActor(source, record.agentId, {
    uid: record.uid,
    podUid: null,
    cycle,
    currentCycle: cycle,
    bar: key.bar,
  });
}

/** A person, or a program with a key of the person. */
function personActor({
  role,
  accountId,
  name,
  ban,
  ...of
}: Pick<FoundAccountKey, 'role' | 'accountId' | 'name' | 'ban'> & Partial<FoundAccountKey>): Actor | Refused {
  if (ban !== null) return refusalOfBan(ban);
  const person = { role, id: accountObject(accountId), accountId, name };
  const { keyId, scopes } = of;
  return keyId === undefined || scopes === undefined ? person : { ...person, key: { keyId, scopes } };
}

function earlierActor({ source, agentSessionOf, keyOf }: LookUps, token: string): Actor | Refused | null {
  if (!token.startsWith(AGENT_TOKEN_PREFIX)) {
    const key = keyOf.earlier(token);
    return key === null ? null : keyActor({ source }, key);
  }
  const session = agentSessionOf.earlier(token);
  return session === null || session.revoked ? null : agentActor(source, session.agentId, session);
}

function earlierAgent(lookUps: LookUps, token: string): AgentActor | null {
  const actor = earlierActor(lookUps, token);
  if (actor === null || 'ok' in actor || actor.role !== 'agent' || actor.stale) return null;
  return { ...actor, proof: { tokenHash: hashOf(token), cycle: actor.cycle } };
}

async function sessionActor(
  { source, agentSessionOf }: LookUps,
  token: string,
  reads: boolean,
): Promise<Actor | Refused> {
  const session = await agentSessionOf(token, reads);
  if (session === null) return refused('token_invalid');
  // While an agent is barred, its refusal names the measure; without a bar, a revoked token is only invalid.
  if (session.revoked && session.bar === null)
    return refused('token_invalid', 'This token was revoked; exchange a new one');
  return agentActor(source, session.agentId, session);
}

async function tokenActor(
  lookUps: LookUps,
  token: string,
  { reads, isBearer, ofPeople }: { readonly reads: boolean; readonly isBearer: boolean; readonly ofPeople: boolean },
): Promise<Actor | Refused> {
  const { accountKeyOf, keyOf, serviceOf } = lookUps;
  if (token.startsWith(ACCOUNT_KEY_PREFIX)) {
    const key = ofPeople ? await accountKeyOf(token, reads) : null;
    return key === null ? refused('token_invalid') : personActor(key);
  }
  if (token.startsWith(AGENT_TOKEN_PREFIX)) return sessionActor(lookUps, token, reads);
  const key = await keyOf(token, reads);
  if (key !== null) return keyActor(lookUps, key);
  // The cluster reviews at most one token of a request: services send a JWT as bearer.
  const mayBeProjected = isBearer && token.split('.').length === 3;
  const service = mayBeProjected ? await serviceOf(token, reads) : null;
  return service === null ? refused('token_invalid') : { role: service, id: service };
}

/** The caller of the first token that is valid; the last refusal if none is. */
async function firstValid(
  tokens: readonly string[],
  actorOf: (token: string) => Promise<Actor | Refused>,
): Promise<Actor | Refused> {
  const [token = '', ...others] = tokens;
  const actor = await actorOf(token);
  const isInvalid = 'ok' in actor && actor.reason === 'token_invalid';
  return isInvalid && others.length > 0 ? firstValid(others, actorOf) : actor;
}

export function createAuthenticate(ports: AuthenticatePorts): Authenticate {
  const lookUps = lookUpsOf(ports);
  const identify: Authenticate = async ({ headers, address, listener, reads, verifiedLater = false }) => {
    const tokens = tokensOf(headers);
    const ofPeople = listener.includes('people');
    const bearer = bearerOf(headers);
    if (tokens.length > 0)
      return firstValid(tokens, async (token) => {
        const earlier = verifiedLater ? earlierAgent(lookUps, token) : null;
        return earlier ?? tokenActor(lookUps, token, { reads, isBearer: token === bearer, ofPeople });
      });
    if (headers.authorization !== undefined) return refused('token_invalid', 'Write Authorization: Bearer TOKEN');
    if (!ofPeople) return refused('unauthenticated');
    const session = sessionOf(headers.cookie);
    const account = session === null ? null : await lookUps.accountOf(session, reads);
    return account === null ? { role: 'visitor', id: `visitor ${address}` } : personActor(account);
  };
  return async (credentials) => {
    try {
      return await identify(credentials);
    } catch (error) {
      const { isPublic = false, listener, address } = credentials;
      if (!isPublic || !listener.includes('people') || !isOutage(error)) throw error;
      return { role: 'visitor', id: `visitor ${address}` };
    }
  };
}
