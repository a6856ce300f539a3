/**
 * Callers in a separate process, each of which keeps one stream open. They use Node's HTTP client, because the platform's
 * fetch takes twice the processor time of the servers' own model server, and they share the processors with the servers.
 */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKENS, wallMs } from './pace.ts';

export interface Load {
  readonly url: string;
  /** One for each caller. */
  readonly tokens: readonly string[];
  readonly seconds: number;
}

/** `firstMs`: from sending a request to its first token. `tokenMs`: from the server's sending of a token to its arrival. */
export interface Arrivals {
  readonly firstMs: readonly number[];
  readonly tokenMs: readonly number[];
}

const AGENT = new Agent({ keepAlive: true });

const BODY = JSON.stringify({
  model: 'small',
  stream: true,
  messages: [
    { role: 'system', content: 'You are Mara, a baker, and answer in one line.' },
    { role: 'user', content: 'Where can I buy honey?' },
  ],
});

type Sink = { readonly firstMs: number[]; readonly tokenMs: number[] };

async function* wordsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { choices = [], error } = JSON.parse(line.slice(6)) as {
        choices?: { delta?: { content?: string | null } }[];
        error?: object;
      };
      if (error !== undefined) throw new Error(`the stream ended with ${line}`);
      yield* (choices[0]?.delta?.content ?? '').split(' ').filter((word) => word !== '');
    }
  }
}

async function oneStream({ url }: Load, token: string, sink: Sink): Promise<void> {
  const started = wallMs();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const sent = request(`${url}/chat/completions`, { method: 'POST', headers, agent: AGENT });
  sent.end(BODY);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await text(response)}`);
  let count = 0;
  for await (const word of wordsOf(response)) {
    const now = wallMs();
    count += 1;
    if (count === 1) sink.firstMs.push(now - started);
    else sink.tokenMs.push(now - Number(word));
  }
  if (count !== TOKENS) throw new Error(`a stream delivered ${count} of ${TOKENS} tokens`);
}

async function work(load: Load): Promise<Arrivals> {
  const sink: Sink = { firstMs: [], tokenMs: [] };
  const until = wallMs() + load.seconds * 1_000;
  const caller = async (token: string, index: number): Promise<void> => {
    // Callers begin at different times, so that their streams are not in step.
    await sleep(index * 24);
    while (wallMs() < until) await oneStream(load, token, sink);
  };
  await Promise.all(load.tokens.map(caller));
  return sink;
}

process.on('message', (load: Load) => {
  work(load).then(
    (arrivals) => process.send?.({ type: 'done', arrivals }),
    (error: unknown) => process.send?.({ type: 'failed', message: String(error) }),
  );
});
