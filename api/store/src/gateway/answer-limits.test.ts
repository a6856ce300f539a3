import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import { sql } from 'kysely';
import { inTransaction, openDatabase } from '../connection/database.ts';
import { holdCredential, putCredential } from './model-credentials.ts';

const MIGRATION = new URL('../../migrations/0066_answer_limits.sql', import.meta.url);

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined }));

test('a connected model with the former default gets the limit of what it can write; an own limit stays', async () => {
  const model = (name: string, answer_tokens: number, context_tokens = 131_072) => ({
    name,
    model: name,
    context_tokens,
    answer_tokens,
  });
  const models = [model('qwen3', 1_024), model('own', 2_048), model('gpt-4-turbo', 1_024), model('tiny', 1_024, 8_192)];
  const provider = { kind: 'vllm', base_url: 'http://vllm:8000/v1', models, max_in_flight: null };
  const row = {
    name: 'local',
    agentId: null,
    provider,
    prices: null,
    envelope: null,
    fingerprint: null,
    createdBy: 'a',
  };
  await inTransaction(db, (tx) => putCredential(tx, row));
  await sql.raw(readFileSync(MIGRATION, 'utf8')).execute(db);
  const after = await inTransaction(db, (tx) => holdCredential(tx, 'local', null));
  assert.deepEqual(after?.provider, {
    ...provider,
    models: [model('qwen3', 16_384), model('own', 2_048), model('gpt-4-turbo', 4_096), model('tiny', 4_096, 8_192)],
  });
});
