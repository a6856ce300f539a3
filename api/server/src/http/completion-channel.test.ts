/** The channel of a streamed answer whose caller leaves early, on a real connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { callA2a } from '@hamlet/contract';
import type { Response } from 'express';
import { untilEnd } from '@hamlet/test/env/at-end';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { openCompletionChannel, whenClosed } from './completion-channel.ts';

test('a caller who left while the request was being admitted is gone from the beginning, and what is open for it ends', async () => {
  const server = untilEnd(createServer());
  const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
  const call = request({ port: await listenOnLoopback(server), method: 'POST' }).on('error', () => undefined);
  call.end('{}');
  const [, response] = await asked;
  call.destroy();
  await once(response, 'close');
  const ports = { requestId: 'r', limited: async () => null, isChecked: () => false, onBadChunk: () => undefined };
  const { gone } = openCompletionChannel(callA2a, response as Response, ports);
  let ended = 0;
  whenClosed(response as Response, () => (ended += 1));
  assert.deepEqual([gone.aborted, ended], [true, 1]);
});
