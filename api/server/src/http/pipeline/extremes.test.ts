/**
 * Every route and websocket receives extreme values from every role, while a second client checks that the API still
 * answers. The values are drawn from the contract's schemas, so that the test covers every new route.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { ROUTES, ViewerMessage, type RouteSpec } from '@hamlet/contract';
import { FULL_RUN, Seeded } from '@hamlet/test/env/seeded';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { atEnd } from '@hamlet/test/env/at-end';
import { startApiProcess } from '../../testing/api-process.ts';
import { probeLivez } from '../../testing/livez-probe.ts';
import { agentToken, TOKENS, testVillage, Play } from '../../testing/test-village.ts';

const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 20_261_123);
/** Requests of a role to a route, and messages of a role on a websocket. */
const [REQUESTS, MESSAGES] = FULL_RUN ? [100, 250] : [1, 4];
/** An API that has not answered after this time counts as stuck. */
const CAP_MS = 60_000;
const ROLES: Readonly<Record<string, string | undefined>> = {
  visitor: undefined,
  member: TOKENS.member,
  admin: TOKENS.admin,
  agent: agentToken('ada'),
  operator: TOKENS.operator,
  broker: TOKENS.broker,
};
/** These routes come last, because they affect later requests: a barred or frozen caller is refused from then on. */
const LAST = /freeze|\/(kill|ban|quarantine|revoke)|internal/;

const village = await testVillage();
const api = await startApiProcess(village);
await new Play(api.url).everybody();
const probe = probeLivez(api.url, CAP_MS);
atEnd(() => api.stop('SIGKILL'));

const DEEP_LEVELS = 2_000;
const MANY = 5_000;
/** Share of drawn values that ignore the schema. */
const EXTREME_CHANCE = 0.35;

function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < DEEP_LEVELS; level += 1) value = wrap(value);
  return value;
}

/** Unusual values: huge, negative, fractional, repeated, deeply nested, of the wrong type, and texts that break some parsers. */
const EXTREMES: readonly unknown[] = [
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  0.5,
  -0.5,
  -1,
  0,
  2 ** 31,
  -(2 ** 31) - 1,
  65_536,
  Number.MIN_VALUE,
  '',
  ' ',
  'a'.repeat(MANY),
  '9'.repeat(400),
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'Infinity',
  '\u0000',
  '\uD800',
  '\u202E',
  '../../..',
  '%00',
  "' or 1=1 --",
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  'ada',
  'bob',
  '01890000-0000-7000-8000-000000000000',
  'apple-9999999999',
  null,
  true,
  false,
  [],
  {},
  [[]],
  Array.from({ length: MANY }, () => 0),
  Array.from({ length: MANY }, () => 'ada'),
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, 0])),
  nested((inner) => [inner]),
  nested((inner) => ({ inner })),
  JSON.parse('{"__proto__":{"role":"admin"},"constructor":1}'),
];

/** The part of a JSON schema from which values are drawn. */
const Node = z.looseObject({
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  example: z.unknown().optional(),
});
type Node = z.infer<typeof Node>;

const PLAIN: Readonly<Record<string, (node: Node, random: Seeded) => unknown>> = {
  object: (node, random) =>
    Object.fromEntries(
      Object.entries(node.properties ?? {}).flatMap(([name, part]) =>
        node.required?.includes(name) === true || random.chance(0.5) ? [[name, draw(part, random)]] : [],
      ),
    ),
  array: (node, random) => {
    const length = random.one([0, 1, 2, Math.min(node.maxItems ?? 3, 40), Math.min((node.maxItems ?? 3) + 1, 41)]) ?? 0;
    const item = draw(node.items ?? {}, random);
    return Array.from({ length }, () => (random.chance(0.5) ? item : draw(node.items ?? {}, random)));
  },
  string: (node, random) =>
    random.one([
      node.example ?? 'ada',
      'ada',
      'hello',
      'a'.repeat(Math.min(node.maxLength ?? 10, MANY)),
      'a'.repeat(Math.min((node.maxLength ?? 10) + 1, MANY)),
      '1',
      '2026-11-23T00:00:00Z',
    ]),
  number: ({ minimum = -10, maximum = 10 }, random) =>
    random.one([minimum, maximum, minimum - 1, maximum + 1, 0, 1, (minimum + maximum) / 2]),
  boolean: (_node, random) => random.chance(0.5),
  null: () => null,
};

/** The choices of a schema: one constant, values, or branches of a union; null if it has none. */
function choiceOf(node: Node, random: Seeded): (() => unknown) | null {
  if (node.const !== undefined) return () => node.const;
  if (node.enum !== undefined) return () => random.one(node.enum ?? []);
  const branches = node.anyOf ?? node.oneOf ?? node.allOf;
  return branches === undefined ? null : () => draw(random.one(branches), random);
}

/** Draws a value near a JSON schema: often valid or just invalid, sometimes extreme. */
function draw(schema: unknown, random: Seeded): unknown {
  const parsed = Node.safeParse(schema);
  if (!parsed.success || random.chance(EXTREME_CHANCE / 3)) return random.one(EXTREMES);
  const choice = choiceOf(parsed.data, random);
  if (choice !== null) return choice();
  const type = [parsed.data.type].flat()[0] ?? '';
  const plain = PLAIN[type === 'integer' ? 'number' : type];
  return plain === undefined ? random.one(EXTREMES) : plain(parsed.data, random);
}

/** Draws values for a schema of the contract, so that tests cover new routes and messages without a change. */
function extremeValues(schema: z.ZodType): (random: Seeded) => unknown {
  const json: unknown = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    cycles: 'ref',
  });
  return (random) => (random.chance(EXTREME_CHANCE / 10) ? random.one(EXTREMES) : draw(json, random));
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 2_000);
}

function entriesOf(drawn: unknown): readonly (readonly [string, string])[] {
  return Object.entries(typeof drawn === 'object' && drawn !== null ? drawn : {})
    .slice(0, 20)
    .map(([name, value]) => [name, textOf(value)]);
}

function requestsTo(route: RouteSpec): (random: Seeded) => { readonly path: string; readonly init: RequestInit } {
  const [params, query, body] = [route.params, route.query, route.body].map((schema) =>
    schema === undefined ? null : extremeValues(schema),
  );
  return (random) => {
    const given = Object.fromEntries(entriesOf(params?.(random)));
    const path = route.path.replaceAll(
      /\{(\w+)\*?\}/g,
      (_, name: string) => encodeURIComponent(given[name] ?? textOf(random.one(EXTREMES)) ?? '') || 'x',
    );
    const asked = new URLSearchParams(entriesOf(query?.(random)).map(([name, value]) => [name, value]));
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': random.chance(0.9) ? randomUUID() : 'k'.repeat(random.between(1, 2_000)),
    };
    const sent =
      route.method === 'GET'
        ? {}
        : { body: JSON.stringify(body === null || body === undefined ? random.one(EXTREMES) : body(random)) ?? 'null' };
    return {
      path: `${route.placement === 'absolute' ? '' : '/api/v1'}${path}?${asked}`,
      init: { method: route.method, headers, redirect: 'manual', ...sent },
    };
  };
}

const broken = (): readonly string[] =>
  village.logs
    .flatMap((chunk) => chunk.split('\n'))
    .filter((line) => line.includes('"request failed"') && line.includes('"error"'))
    .slice(-3);

const routes = (ROUTES as readonly RouteSpec[]).toSorted(
  (a, b) => Number(LAST.test(a.path)) - Number(LAST.test(b.path)),
);
for (const [turn, route] of routes.entries()) {
  test(`${route.method} ${route.path} survives extreme values (${route.name}, seed ${SEED})`, async () => {
    const drawRequest = requestsTo(route);
    for (const [index, [role, token]] of Object.entries(ROLES).entries()) {
      // The gate tries each route as one role; the roles take turns.
      if (!FULL_RUN && turn % Object.keys(ROLES).length !== index) continue;
      for (let number = 0; number < REQUESTS; number += 1) {
        const { path, init } = drawRequest(new Seeded(SEED + index * REQUESTS + number));
        const stopping = new AbortController();
        const headers = {
          ...(init.headers as Record<string, string>),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        };
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CAP_MS)]);
        const response = await fetch(`${api.url}${path}`, { ...init, headers, signal });
        if (response.status === 500)
          assert.fail(`${role}: ${path.slice(0, 300)} ${String(init.body).slice(0, 300)}\n${broken().join('\n')}`);
        stopping.abort();
      }
    }
  });
}

for (const path of [
  '/ws/world?format=json',
  '/ws/world',
  '/ws/board',
  '/ws/board?after=9e99:-1',
  '/ws/runs?run_id=x&after=-1',
]) {
  test(`${path} survives extreme messages (seed ${SEED})`, async () => {
    const drawMessage = extremeValues(ViewerMessage);
    for (const token of Object.values(ROLES)) {
      const socket = new WebSocket(
        `${api.url.replace('http', 'ws')}${path}`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      );
      socket.on('error', () => undefined);
      const isOpen = await once(socket, 'open').then(
        () => true,
        () => false,
      );
      for (let number = 0; isOpen && number < MESSAGES; number += 1)
        socket.send(JSON.stringify(drawMessage(new Seeded(SEED + number))) ?? '');
      socket.terminate();
    }
  });
}

test('the API refuses a message that once blocked it, and still answers', async () => {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/ws/world?format=json`);
  await once(socket, 'open');
  const { seq, epoch } = await new Play(api.url).world();
  socket.send(
    JSON.stringify({ type: 'resume', epoch, seq, cells: { x: 0, y: 0, width: Number.MAX_SAFE_INTEGER, height: 1 } }),
  );
  socket.send(JSON.stringify({ type: 'view', x: 0, y: 0, width: 100, height: 100, zoom: 'near' }));
  await once(socket, 'message', { signal: AbortSignal.timeout(CAP_MS) });
  socket.terminate();
});

test('a second client was served throughout', async (t) => {
  await probe.stop();
  assert.ok(probe.answers > 0);
  t.diagnostic(`longest /livez: ${probe.longestMs.toFixed(0)} ms of ${probe.answers} answers`);
});
