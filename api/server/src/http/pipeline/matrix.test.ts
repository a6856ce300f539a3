/**
 * Compares every role on every route of a running API with a table that is written by hand, so that a mistake in the
 * contract's permissions differs from the table. A route without a row fails.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ROUTES, urlOf, type Audience, type Refusal, type RouteSpec } from '@hamlet/contract';
import { FULL_RUN } from '@hamlet/test/env/seeded';
import { WebSocket } from 'ws';
import { AGENT_IDS, agentToken, TOKENS, testVillage } from '../../testing/test-village.ts';
import { BROKER, COLUMNS, MATRIX, SOCKETS, type Column } from '../../testing/matrix-rows.ts';

const CREDENTIALS: Readonly<Record<Exclude<Column, 'other agent'>, string | undefined>> = {
  visitor: undefined,
  member: TOKENS.member,
  admin: TOKENS.admin,
  'own agent': agentToken('ada'),
  operator: TOKENS.operator,
};
const DENIALS: ReadonlySet<string> = new Set<Refusal>([
  'unauthenticated',
  'forbidden',
  'not_own_agent',
  'token_invalid',
]);
/** The test rotates these agents, because each one has a quota. */
const OTHER_AGENTS = AGENT_IDS.filter((agentId) => agentId !== 'ada');
let turn = 0;

function tokenOf(who: Column): string | undefined {
  if (who !== 'other agent') return CREDENTIALS[who];
  turn += 1;
  return agentToken(OTHER_AGENTS[turn % OTHER_AGENTS.length] ?? 'bob');
}

/** A well-formed id of no object. */
const NO_ID = '01890000-0000-7000-8000-000000000000';

const village = await testVillage();
// No tier limits the requests of this test, which calls every route in less than a minute.
await village.liftRequestLimits();
const { peopleUrl: people, agentsUrl: agents } = await village.startReplica({ HAMLET_AGENTS_LISTEN: '127.0.0.1:0' });
const urls = { people, agents };

function pathOf(route: RouteSpec): string {
  const known: Readonly<Record<string, string>> = { agent_id: 'ada', name: 'none', level: '0', tile: '000' };
  const names = [...route.path.matchAll(/\{(\w+)\*?\}/g)].map(([, name = '']) => name);
  return urlOf(route, { params: Object.fromEntries(names.map((name) => [name, known[name] ?? NO_ID])) });
}

/**
 * The cell for a call without key and body. A caller without permission is refused first; any other caller is refused
 * because of the missing part.
 */
async function cellOf(route: RouteSpec, who: Column | 'broker', audience: Audience): Promise<string> {
  const stopping = new AbortController();
  const token = who === 'broker' ? TOKENS.broker : tokenOf(who);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${urls[audience]}${pathOf(route)}`, {
    method: route.method,
    headers,
    signal: stopping.signal,
    redirect: 'manual',
  });
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const { code } = isProblem ? ((await response.json()) as { code: string }) : { code: '' };
  stopping.abort();
  const denies = response.status === 401 || response.status === 403;
  return denies && !DENIALS.has(code) ? `${response.status}*` : String(response.status);
}

function cells(row: string): Readonly<Record<Column, string>> {
  const all = row.trim().split(/ +/);
  return Object.fromEntries(COLUMNS.map((column, index) => [column, all[index] ?? ''])) as Record<Column, string>;
}

async function shown(route: RouteSpec, audience: Audience, columns: readonly Column[]): Promise<Row> {
  const entries: [Column, string][] = [];
  for (const who of columns) entries.push([who, await cellOf(route, who, audience)]);
  return Object.fromEntries(entries);
}

type Row = Readonly<Record<string, string>>;

function assertRow(got: Row, row: Row, where: string): void {
  const said = Object.fromEntries(
    Object.entries(got).map(([who, cell]) => [
      who,
      row[who] === 'in' && cell !== '401' && cell !== '403' ? 'in' : cell,
    ]),
  );
  assert.deepEqual(said, row, where);
}

const rows = new Map(MATRIX);

test('every route has one row, every row a route, and every cell is filled', () => {
  assert.deepEqual(MATRIX.map(([name]) => name).toSorted(), ROUTES.map(({ name }) => name).toSorted());
  for (const [name, row] of MATRIX) assert.match(`${row} `, /^((\d{3}\*?|in) +){6}$/, name);
});

/** The gate asks the second listener as a visitor, who is refused there, and as one other caller; they take turns. */
const secondColumns = (index: number): readonly Column[] =>
  FULL_RUN ? COLUMNS : COLUMNS.filter((who, at) => who === 'visitor' || at === 1 + (index % (COLUMNS.length - 1)));

for (const [index, route] of (ROUTES as readonly RouteSpec[]).entries()) {
  test(`${route.method} ${route.path} (${route.name})`, async () => {
    const row = cells(rows.get(route.name) ?? '');
    const [first, second] = route.audiences.includes('people')
      ? (['people', 'agents'] as const)
      : (['agents', 'people'] as const);
    assertRow(await shown(route, first, COLUMNS), row, first);
    if (!route.audiences.includes(second)) return;
    // A listener that does not serve people has no visitors: without credentials only routes for anyone are open.
    const expected = route.permission === 'anyone' ? row : { ...row, visitor: '401' };
    const columns = secondColumns(index);
    const asked = Object.fromEntries(columns.map((who) => [who, expected[who]]));
    assertRow(await shown(route, second, columns), asked, second);
  });
}

test('the broker may call its own routes, and those that are open to anyone', async () => {
  for (const route of ROUTES as readonly RouteSpec[]) {
    if (route.permission === 'anyone') continue;
    const audience = route.audiences.includes('agents') ? 'agents' : 'people';
    assert.equal(await cellOf(route, 'broker', audience), BROKER[route.name] ?? '403', route.name);
  }
});

async function socketCell(path: string, who: Column): Promise<string> {
  const token = tokenOf(who);
  const socket = new WebSocket(
    `${urls.people.replace('http', 'ws')}${path}`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
  const opened = once(socket, 'open').then(() => '101');
  opened.catch(() => undefined);
  const refused = once(socket, 'unexpected-response').then(([, response]) =>
    String((response as { statusCode: number }).statusCode),
  );
  socket.on('error', () => undefined);
  const cell = await Promise.race([opened, refused]);
  socket.terminate();
  return cell;
}

for (const [path, row] of Object.entries(SOCKETS))
  test(`WS ${path}`, async () => {
    for (const who of COLUMNS) assert.equal(await socketCell(path, who), cells(row)[who], who);
  });

test('a listener serves only the routes of its audience; only the listener for people accepts visitors', async () => {
  for (const route of ROUTES as readonly RouteSpec[]) {
    for (const audience of ['people', 'agents'] as const) {
      const response = await fetch(`${urls[audience]}${pathOf(route)}`, {
        method: route.method,
        headers: { authorization: 'Bearer nonsense' },
        redirect: 'manual',
      });
      const served = route.audiences.includes(audience);
      const { code } = served ? { code: '' } : ((await response.json()) as { code: string });
      // The path of log entries also matches the public path of tiles, so the agents' listener takes it for a tile and checks the token.
      const unserved = route.name === 'getLogEntries' ? 'token_invalid' : 'route_not_found';
      assert.equal(code, served ? '' : unserved, `${route.name} on ${audience}`);
      if (served) await response.body?.cancel();
    }
  }
  assert.equal((await fetch(`${urls.agents}/world`)).status, 401);
  assert.equal((await fetch(`${urls.people}/world`)).status, 200);
});
