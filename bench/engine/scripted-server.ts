/**
 * A server that speaks OpenAI's Chat Completions, in a process of its own. It keeps nothing: the name of the model says
 * how many calls of the tool it asks for, and the request shows how many have a result.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAfter } from './subject.ts';

const RESULT = '"role":"tool"';

function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf(RESULT); at >= 0; at = text.indexOf(RESULT, at + RESULT.length)) count += 1;
  return count;
}

/** LangGraph treats messages with the same id as one message. */
let answers = 0;

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    id: `chatcmpl-${answers}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const last = (): string =>
  `data: ${JSON.stringify({
    id: `chatcmpl-${answers}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [],
    usage: USAGE,
  })}\n\ndata: [DONE]\n\n`;

function callOf(number: number): string {
  const call = { name: 'look_at', arguments: '' };
  return (
    chunk(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: `call_${number}`, type: 'function', function: call }],
      },
      null,
    ) +
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] }, null) +
    chunk({ tool_calls: [{ index: 0, function: { arguments: `"market ${number}"}` } }] }, null) +
    chunk({}, 'tool_calls') +
    last()
  );
}

function wordsOf(text: string): string {
  const words = text.split(/(?<= )/).map((word) => chunk({ content: word }, null));
  return chunk({ role: 'assistant', content: '' }, null) + words.join('') + chunk({}, 'stop') + last();
}

function answerTo(body: string): string {
  answers += 1;
  const results = countOf(body);
  const wanted = Number(/"model":"calls-(\d+)"/.exec(body)?.[1] ?? 0);
  return results < wanted ? callOf(results) : wordsOf(answerAfter(results));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answerTo(Buffer.concat(parts).toString('utf8')));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
