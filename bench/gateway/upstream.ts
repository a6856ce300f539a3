/** A model server with OpenAI's wire and the pace of a small model, in a process of its own. Each token is the time at which it was sent. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_TOKEN_MS, TOKEN_EVERY_MS, TOKENS, wallMs } from './pace.ts';

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'up-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const LAST = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'up-model',
  choices: [],
  usage: { prompt_tokens: 20, completion_tokens: TOKENS, total_tokens: 20 + TOKENS },
})}\n\ndata: [DONE]\n\n`;

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  let sent = 0;
  const next = (): void => {
    if (response.destroyed) return;
    if (sent === TOKENS) return void response.end(chunk({}, 'stop') + LAST);
    const role = sent === 0 ? { role: 'assistant' } : {};
    sent += 1;
    response.write(chunk({ ...role, content: `${wallMs().toFixed(2)} ` }, null));
    setTimeout(next, TOKEN_EVERY_MS);
  };
  setTimeout(next, FIRST_TOKEN_MS);
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => stream(response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
