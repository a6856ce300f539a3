import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMPLETIONS_WIRE, OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import type { WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { findAbilities, type ModelAbilities } from './model-abilities.ts';

const HELLO = { text: ['Hello.'] };
const REFUSED: WireAnswer = { status: 400, chunks: ['{"error":{"message":"no"}}'] };

let wire: WireServer;
let serves: (path: string, body: object) => WireAnswer;
before(async () => {
  const otherwise = ({ path, body }: WireRequest) => serves(path, body as object);
  wire = await startWireServer([], { otherwise });
});
after(() => wire.close());

const abilities = (): Promise<ModelAbilities> =>
  findAbilities({ baseUrl: `${wire.url}/v1`, model: 'm', key: 'sk-0123456789' });

const chat = OPENAI_WIRE.plain(HELLO);

test('a chat model with tools and JSON is detected', async () => {
  serves = (path) => (path === '/v1/chat/completions' ? chat : REFUSED);
  assert.deepEqual(await abilities(), { isBaseModel: false, tools: true, json: true });
  assert.equal(wire.requests.length, 2);
  assert.equal(wire.requests[0]?.headers['authorization'], 'Bearer sk-0123456789');
});

test('a chat model without tools, and one without JSON, are detected', async () => {
  serves = (_path, body) => ('tools' in body ? REFUSED : chat);
  assert.deepEqual(await abilities(), { isBaseModel: false, tools: false, json: true });
  serves = (_path, body) => ('response_format' in body ? REFUSED : chat);
  assert.deepEqual(await abilities(), { isBaseModel: false, tools: true, json: false });
});

test('a base model refuses a chat and continues a text', async () => {
  serves = (path) => (path === '/v1/completions' ? COMPLETIONS_WIRE.plain(HELLO) : REFUSED);
  assert.deepEqual(await abilities(), { isBaseModel: true, tools: false, json: false });
});

test('a model counts as fully able if its server refuses every request, is busy or does not answer', async () => {
  const everything = { isBaseModel: false, tools: true, json: true };
  serves = () => REFUSED;
  assert.deepEqual(await abilities(), everything);
  serves = () => OPENAI_WIRE.errors.overloaded;
  assert.deepEqual(await abilities(), everything);
  assert.deepEqual(await findAbilities({ baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: null }), everything);
});
