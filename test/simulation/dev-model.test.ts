/** `make dev MODEL=`: the village's models are those of a server, and the key stays in a file of the village. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import { chooseModel } from '@hamlet/dev/model';
import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { pluck } from '../env/pluck.ts';
import { testClient } from '../env/client.ts';

const KEY = 'sk-dev-0123456789abcdef';

let wire: WireServer;
let village: DevVillage;
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hamlet-dev-model-'));
  // As root, Postgres runs as the user nobody, which must be able to enter the folder.
  await chmod(folder, 0o755);
  wire = await startWireServer([{ answer: { chunks: [JSON.stringify({ data: [{ id: 'real-model' }] })] } }]);
  const model = await chooseModel({ MODEL: wire.url, MODEL_KEY: KEY, MODEL_WIRE: 'chat' });
  village = await startDevVillage(openDevFolder(folder), { port: null, residents: false, model });
});
after(async () => {
  await village?.stop();
  await wire?.close();
  await rm(folder, { recursive: true, force: true });
});

test('an agent asks the model of the server, with the key of the village', async () => {
  const { url, agentTokens } = village.file;
  const client = testClient({ baseUrl: url, token: agentTokens.bob });
  assert.deepEqual(pluck((await client.listModels()).data, 'id', 'owned_by'), [['small', 'model']]);
  wire.add({
    expect: { headers: { authorization: `Bearer ${KEY}` }, body: { model: 'real-model' } },
    answer: OPENAI_WIRE.stream({ text: ['Good ', 'day.'] }),
  });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const answer = await client.raw.completeChat({ model: 'small', messages });
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.equal(answer.data.choices[0]?.message.content, 'Good day.');
  assert.deepEqual([answer.data.hamlet.provider, answer.data.hamlet.scripted], ['model', false]);
  wire.verify();
});

test('the key is in one file, for its owner alone', () => {
  const file = join(openDevFolder(folder).modelKeys, 'model');
  assert.equal(readFileSync(file, 'utf8'), KEY);
  assert.equal(statSync(file).mode & 0o077, 0);
});

test('a start that fails leaves no process behind', async () => {
  const state = await mkdtemp(join(tmpdir(), 'hamlet-dev-failed-'));
  await chmod(state, 0o755);
  const dev = openDevFolder(state);
  const variables = { HAMLET_LOG_DIR: '/dev/null/no-folder' };
  await assert.rejects(startDevVillage(dev, { port: null, residents: false, variables }), /ended at once/);
  const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(dev.postgresData));
  assert.deepEqual(left.map(commandOf), []);
  await rm(state, { recursive: true, force: true });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended since it was listed.
    return '';
  }
}
