import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilEnd } from '@hamlet/test/env/at-end';
import { readCommandLine } from '../../../command-line.ts';
import { Failure, type Invocation } from '../../../command.ts';
import { workflow } from '../workflow.ts';

/** A request: its route as `PUT /agents/ada/manifests`, its query and its body. */
export type Asked = Readonly<{ route: string; query: string; body: unknown }>;
type Answer = (asked: Asked) => Readonly<{ status: number; body: unknown }>;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
}

/** An HTTP server that answers as the API does. `answer` throws for a request that the test does not expect. */
export async function scriptedVillage(answer: Answer): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const [path = '', query = ''] = (request.url ?? '').replace('/api/v1', '').split('?');
      const one = { route: `${request.method} ${path}`, query, body: await bodyOf(request) };
      asked.push(one);
      const { status, body } = answer(one);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })();
  }).listen(0, '127.0.0.1');
  untilEnd({ close: () => (server.closeAllConnections(), server.close()) });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

type Said = Readonly<{ code: number; out: string; notes: string }>;

/** Runs a command line as `main.ts` does; a Failure is in `notes`. */
export async function hamlet(
  words: readonly string[],
  { url = '', isInteractive = false }: { readonly url?: string; readonly isInteractive?: boolean } = {},
): Promise<Said> {
  const [out, notes]: [string[], string[]] = [[], []];
  const said = (code: number): Said => ({ code, out: out.join(''), notes: notes.join('\n') });
  try {
    const { command, names, flags, json } = readCommandLine(words, workflow);
    if (command === undefined) return said(2);
    const invocation: Omit<Invocation, 'kubectl'> = {
      names,
      flags,
      json,
      print: (line) => out.push(`${line}\n`),
      write: (text) => out.push(text),
      note: (line) => notes.push(line),
      terminal: { isInteractive, ask: () => Promise.resolve(null) },
      environment: { HAMLET_URL: url, HAMLET_TOKEN: 'of-mia' },
      nowMs: Date.parse('2026-11-29T22:10:00Z'),
    };
    return said(await command.run(invocation as Invocation));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notes.push(error.message);
    return said(error.exitCode);
  }
}
