/** Checks the table of docs/DATA_MODEL.md (original name → ours) against a running API. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { API_PREFIX } from '@hamlet/contract';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { WebSocket } from 'ws';
import { AGENT_IDS, eventually, TOKENS, testVillage, Play } from '../testing/test-village.ts';

const DOCS = resolve(import.meta.dirname, '../../../../docs/DATA_MODEL.md');
const KNOWN_POST = '01890000-0000-7000-8000-000000000001';
const ROW =
  /^\| (?<original>[^|]+) \| `(?<field>[^`]+)` \| `(?<method>GET|POST|WS) (?<path>\S+)(?: (?<body>\{.*\}))?` \|$/;
const rows = readFileSync(DOCS, 'utf8')
  .split('\n')
  .flatMap((line): Record<string, string>[] => {
    const { groups } = ROW.exec(line) ?? {};
    return groups === undefined ? [] : [groups];
  });

const village = await testVillage();
const url = (await village.startReplica()).peopleUrl;
const play = new Play(url);
await eventually('all agents and items in the world', async () => {
  const world = await play.world();
  return world.agents.length === AGENT_IDS.length && world.items.length > 0;
});
await writeKnownPost();

/** Writes the post and the reply whose ids the table uses. */
async function writeKnownPost(): Promise<void> {
  const superuser = openSuperuser(village.postgres);
  await superuser.run(`insert into board.post (post_id, author_type, author_id, author_name, audience, title, body, tags)
    values ('${KNOWN_POST}', 'agent', 'ada', 'Ada', 'public', 'Bread', 'Who bakes it?', '{question}')`);
  await superuser.run(
    `insert into board.reply (post_id, author_type, author_id, author_name, body) values ('${KNOWN_POST}', 'agent', 'bob', 'Bob', 'I do.')`,
  );
  await superuser.close();
}

/** True if a value has a field such as `a.b` or `list[].c`. Lists must not be empty, and every element must have the field. */
function hasField(value: unknown, field: string): boolean {
  const [head = '', ...rest] = field.split('.');
  const name = head.replace('[]', '');
  if (typeof value !== 'object' || value === null || !(name in value)) return false;
  const inner = (value as Record<string, unknown>)[name];
  if (!head.endsWith('[]')) return rest.length === 0 || hasField(inner, rest.join('.'));
  return (
    Array.isArray(inner) &&
    inner.length > 0 &&
    inner.every((element) => rest.length === 0 || hasField(element, rest.join('.')))
  );
}

async function firstFrame(path: string): Promise<unknown> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
  const [data] = (await once(socket, 'message')) as [Buffer];
  socket.terminate();
  return JSON.parse(data.toString());
}

async function ask(row: Record<string, string>, prefix: string): Promise<unknown> {
  if (row['method'] === 'WS') return firstFrame(row['path'] ?? '');
  const headers = {
    authorization: `Bearer ${TOKENS.admin}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const init = row['method'] === 'POST' ? { method: 'POST', headers, body: row['body'] ?? '' } : { headers };
  return (await fetch(`${url}${prefix}${row['path'] ?? ''}`, init)).json();
}

test('the table has rows for the world, agents and the board', () => {
  const originals = rows.map((row) => row['original']);
  for (const name of [
    'world_size',
    'tick',
    'time',
    'landmarks',
    'zones',
    'agent_id',
    'inventory',
    'status (online)',
    'entitlement_tier',
    'move {dx, dy}',
    'move {x, y}',
    'post_id',
    'author_id',
    'reply_id',
    'title',
    'tags',
  ])
    assert.ok(originals.includes(name), name);
});

for (const row of rows) {
  const { original = '', field = '', method, path } = row;
  test(`the table maps ${original} to ${field} of ${method} ${path}, with and without the version prefix`, async () => {
    for (const prefix of method === 'WS' ? [''] : ['', API_PREFIX]) {
      const answer = await ask(row, prefix);
      assert.ok(hasField(answer, field), `${prefix}: ${JSON.stringify(answer).slice(0, 500)}`);
    }
  });
}

test('the socket sends messages of the type world_state', async () => {
  assert.equal(((await firstFrame('/ws/world?format=json')) as { type: string }).type, 'world_state');
});
