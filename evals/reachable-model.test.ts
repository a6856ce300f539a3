import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE, startWireServer } from '@hamlet/models/testing';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startRelay } from './reachable-model.ts';

test('a relay passes requests, keys and streams as they are, and says if the model server is away', async () => {
  const wire = await startWireServer([
    {
      expect: {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer sk-key' },
        body: { n: 1 },
      },
      answer: OPENAI_WIRE.stream({ text: ['Good ', 'day.'] }),
    },
  ]);
  const relay = untilEnd(await startRelay(`${wire.url}/v1`, '127.0.0.1'));
  assert.match(relay.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const ask = (): Promise<Response> =>
    fetch(`${relay.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-key', 'content-type': 'application/json' },
      body: '{"n":1}',
    });
  const answer = await ask();
  assert.equal(answer.headers.get('content-type')?.split(';')[0], 'text/event-stream');
  assert.match(await answer.text(), /Good [^]*day\./);
  wire.verify();
  await wire.close();
  const away = await ask();
  assert.equal(away.status, 502);
  assert.match(await away.text(), /the model server does not answer/);
});
