/** Every role on every route, from the contract's own permission table. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OWN_AGENT_PERMISSIONS, PERMISSIONS, ROLES, ROUTES, urlOf } from '@hamlet/contract';
import type { Refusal, Role, RouteSpec } from '@hamlet/contract';
import { agentToken, startTestVillage, TOKENS } from '../testing/test-village.ts';
import type { TestVillage } from '../testing/test-village.ts';

const CREDENTIALS: Readonly<Record<Role | 'other agent', string | undefined>> = {
  visitor: undefined,
  member: TOKENS.member,
  admin: TOKENS.admin,
  agent: agentToken('ada'),
  'other agent': agentToken('bob'),
  operator: TOKENS.operator,
};
const DENIALS: ReadonlySet<string> = new Set<Refusal>(['unauthenticated', 'forbidden', 'not_own_agent', 'token_invalid']);
let village: TestVillage;
let urls = { people: '', agents: '' };

before(async () => {
  village = await startTestVillage();
  const { peopleUrl: people, agentsUrl: agents } = await village.startReplica({ HAMLET_AGENTS_LISTEN: '127.0.0.1:0' });
  urls = { people, agents };
});
after(() => village.remove());

/** The code of the denial, or null where the caller was let in (whatever came of it). */
async function denialOf(route: RouteSpec, token: string | undefined, base: string): Promise<string | null> {
  const stopping = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${base}${urlOf(route, { params: { agent_id: 'ada' } })}`, { method: route.method, headers, signal: stopping.signal });
  const problem = response.headers.get('content-type')?.startsWith('application/problem+json') === true ? ((await response.json()) as { code: string }) : null;
  stopping.abort();
  return problem !== null && DENIALS.has(problem.code) ? problem.code : null;
}

function expected(route: RouteSpec, who: Role | 'other agent'): string | null {
  const role: Role = who === 'other agent' ? 'agent' : who;
  if (!(PERMISSIONS[route.permission] as readonly Role[]).includes(role)) return role === 'visitor' ? 'unauthenticated' : 'forbidden';
  return who === 'other agent' && OWN_AGENT_PERMISSIONS.has(route.permission) ? 'not_own_agent' : null;
}

for (const route of ROUTES) {
  test(`${route.name}: who may`, async () => {
    const base = (route.audiences as readonly string[]).includes('people') ? urls.people : urls.agents;
    for (const who of [...ROLES, 'other agent'] as const) {
      const atAgents = base === urls.agents && who === 'visitor';
      // The exchange reads its bearer itself and says so when there is none.
      const own = route.name === 'exchangeAgentToken' && who === 'visitor' ? 'unauthenticated' : null;
      assert.equal(await denialOf(route, CREDENTIALS[who], base), own ?? (atAgents ? 'unauthenticated' : expected(route, who)), who);
    }
  });
}

test('a listener serves the routes of its audience only, and knows no visitors where no people come', async () => {
  for (const route of ROUTES) {
    for (const audience of ['people', 'agents'] as const) {
      const response = await fetch(`${urls[audience]}${urlOf(route, { params: { agent_id: 'ada' } })}`, { method: route.method, headers: { authorization: 'Bearer nonsense' } });
      const served = (route.audiences as readonly string[]).includes(audience);
      const { code } = served ? { code: '' } : ((await response.json()) as { code: string });
      assert.equal(code, served ? '' : 'route_not_found', `${route.name} on ${audience}`);
      if (served) await response.body?.cancel();
    }
  }
  assert.equal((await fetch(`${urls.agents}/world`)).status, 401);
  assert.equal((await fetch(`${urls.people}/world`)).status, 200);
});
