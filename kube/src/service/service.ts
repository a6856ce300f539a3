import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Check {
  readonly name: string;
  readonly problem: () => string | undefined;
}

interface ServiceServerOptions {
  readonly host: string;
  readonly port: number;
  readonly live: readonly Check[];
  readonly ready: readonly Check[];
  readonly metrics: () => Promise<string>;
}

/** The host and the port of `HOST:PORT`. An IPv6 address stands in brackets. Pure. */
export function listenAt(address: string): Pick<ServiceServerOptions, 'host' | 'port'> {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replaceAll(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function answerChecks(response: ServerResponse, checks: readonly Check[]): void {
  const results = checks.map(({ name, problem }) => ({ name, problem: problem() }));
  const ok = results.every(({ problem }) => problem === undefined);
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+] ${name} ok` : `[-] ${name}: ${problem}`,
  );
  response.writeHead(ok ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' }).end(`${lines.join('\n')}\n`);
}

export class ServiceServer {
  readonly #server: Server;
  readonly #options: ServiceServerOptions;

  constructor(options: ServiceServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      void this.#answer(request.url ?? '/', response);
    });
  }

  listen(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(url: string, response: ServerResponse): Promise<void> {
    const [path] = url.split('?');
    if (path === '/livez') return answerChecks(response, this.#options.live);
    if (path === '/readyz') return answerChecks(response, this.#options.ready);
    if (path !== '/metrics') return void response.writeHead(404).end();
    try {
      const text = await this.#options.metrics();
      response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }
}

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, by the default action. */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

interface DrainStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly withinMs: number;
}

/** Runs the steps in order, each until it ends or times out. Reports a failed or late step, then runs the next. */
export async function drain(steps: readonly DrainStep[], onError: (error: unknown) => void): Promise<void> {
  for (const { name, run, withinMs } of steps) {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.reject(new Error(`${name}: did not end within ${withinMs} ms`)), withinMs);
    await Promise.race([run(), late.promise]).catch(onError);
    clearTimeout(timer);
  }
}
