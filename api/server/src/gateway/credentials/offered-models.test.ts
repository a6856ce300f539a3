/** The names of models that a server lists, before an admin connects it: over HTTP with a real server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWireServer, type WireAnswer } from '@hamlet/models/testing';
import { OFFERED_MODELS_MAX } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startPlay } from '../../testing/test-village.ts';
import { namesIn } from './offered-models.ts';

test('both forms of a list are read, bounded, sorted and without names that no request can use', () => {
  const named = (names: readonly unknown[]): string => JSON.stringify({ data: names.map((id) => ({ id })) });
  assert.deepEqual(namesIn(named(['b', 'a', 'b', '', 'a b', 7, 'x'.repeat(201)])), ['a', 'b']);
  assert.deepEqual(namesIn(JSON.stringify({ models: [{ name: 'qwen3:8b', size: 1 }] })), ['qwen3:8b']);
  assert.equal(namesIn(named(Array.from({ length: 900 }, (_, at) => `m${at}`)))?.length, OFFERED_MODELS_MAX);
  assert.deepEqual(namesIn('{"data":[0,null,{"id":"a"},[]]}'), ['a'], 'an entry that is none is left out');
  const late = [...Array.from({ length: 5_000 }, () => 'a'), 'b'];
  assert.deepEqual(namesIn(named(late)), ['a'], 'millions of entries stop no replica');
  for (const text of ['', '[]', '{}', '{"data":{}}', '<html>']) assert.equal(namesIn(text), null, text);
});

const json = (body: unknown): WireAnswer => ({ chunks: [JSON.stringify(body)] });

test('an admin gets the names or the next step; the audit names the address, and no key', async () => {
  const server = untilEnd(
    await startWireServer([], {
      otherwise: ({ path }) =>
        path === '/v1/models'
          ? json({ data: [{ id: 'org/large' }, { id: 'org/small' }] })
          : path === '/api/tags'
            ? json({ models: [{ name: 'qwen3:8b' }] })
            : null,
    }),
  );
  const { village, play } = await startPlay();
  const list = (body: Parameters<typeof play.admin.listOfferedModels>[0]) => play.admin.listOfferedModels(body);
  const key = 'sk-of-this-test';
  const found = await list({ kind: 'compatible', base_url: `${server.url}/v1/`, key });
  assert.deepEqual(found, { models: ['org/large', 'org/small'], problem: null });
  assert.deepEqual((await list({ kind: 'ollama', base_url: server.url })).models, ['qwen3:8b']);
  const other = await list({ kind: 'compatible', base_url: `${server.url}/v2` });
  assert.match(other.problem ?? '', /does not list its models/);
  assert.match((await list({ kind: 'vllm', base_url: 'http://127.0.0.1:9/v1' })).problem ?? '', /cannot be reached/);
  await refuses(list({ kind: 'compatible', base_url: 'http://169.254.169.254/v1' }), 'address_refused');
  await refuses(list({ kind: 'compatible' }), 'validation_failed', /base_url/);
  const connection = { kind: 'completions' as const, model: 'small' };
  await refuses(play.admin.testModel({ connection }), 'validation_failed', /base_url/);
  await refuses(play.member.listOfferedModels({ kind: 'ollama', base_url: server.url }), 'forbidden');
  const [line] = await readAudit(village.openDb(), `${server.url}/v1/`, 5);
  assert.deepEqual([line?.action, line?.detail], ['models.offered', { kind: 'compatible', count: 2, problem: null }]);
});
