/** `make dev MODEL=` uses the models of a server, and keeps the key in a file of the village. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import { chooseModel } from '@hamlet/dev/model';
import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { pluck } from '../env/pluck.ts';
import { testClient } from '../env/client.ts';
import { atEnd, testFolder } from '../env/at-end.ts';

const KEY = 'sk-dev-0123456789abcdef';
const HELLO = { role: 'user', content: 'Hello' } as const;
const isHello = ({ body }: { readonly body: unknown }): boolean => JSON.stringify(body).includes(JSON.stringify(HELLO));
const modelIn = (body: unknown): unknown => (body as { readonly model?: unknown }).model;

let wire: WireServer;
let village: DevVillage;
const folder = testFolder('dev-model');

before(async () => {
  // The API also tests the model by itself, at a time of its choice.
  wire = await startWireServer([{ answer: { chunks: [JSON.stringify({ data: [{ id: 'real-model' }] })] } }], {
    otherwise: (request) =>
      isHello(request) ? OPENAI_WIRE.stream({ text: ['Good ', 'day.'] }) : { status: 503, chunks: [] },
  });
  const model = await chooseModel({ MODEL: wire.url, MODEL_KEY: KEY, MODEL_WIRE: 'chat' });
  village = await startDevVillage(openDevFolder(folder), { port: null, residents: false, model });
});
atEnd(() => village?.stop());
after(() => wire?.close());

test("an agent requests the server's model with the key of the village", async () => {
  const { url, agentTokens } = village.file;
  const client = testClient({ baseUrl: url, token: agentTokens.bob });
  assert.deepEqual(pluck((await client.listModels()).data, 'id', 'owned_by'), [['small', 'model']]);
  const messages = [HELLO];
  const answer = await client.raw.completeChat({ model: 'small', messages });
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.equal(answer.data.choices[0]?.message.content, 'Good day.');
  assert.deepEqual([answer.data.hamlet.provider, answer.data.hamlet.scripted], ['model', false]);
  const asked = wire.requests.filter(isHello).map(({ headers, body }) => [headers['authorization'], modelIn(body)]);
  assert.deepEqual(asked, [[`Bearer ${KEY}`, 'real-model']]);
  wire.verify();
});

test('only one file has the key, and only its owner can read it', () => {
  const file = join(openDevFolder(folder).modelKeys, 'model');
  assert.equal(readFileSync(file, 'utf8'), KEY);
  assert.equal(statSync(file).mode & 0o077, 0);
});

test('a start that fails leaves no process behind', async () => {
  const dev = openDevFolder(testFolder('dev-failed'));
  const variables = { HAMLET_LOG_DIR: '/dev/null/no-folder' };
  await assert.rejects(startDevVillage(dev, { port: null, residents: false, variables }), /ended at once/);
  const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(dev.postgresData));
  assert.deepEqual(left.map(commandOf), []);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process has ended since it was listed.
    return '';
  }
}
