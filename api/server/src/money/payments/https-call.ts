import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { boundedBody } from '../../service/bounded-body.ts';

interface HttpsCall {
  readonly method: 'GET' | 'POST';
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export class CallError extends Error {
  override readonly name = 'CallError';
}

/** Calls a host over https. It returns a redirect as an answer and never follows it. Throws CallError. */
export type CallHttps = (call: HttpsCall) => Promise<HttpsAnswer>;

interface HttpsCallerOptions {
  /** The only hosts that may be called. A call of another host throws before it sends anything. */
  readonly hosts: ReadonlySet<string>;
  readonly proxyUrl: string | null;
  readonly roots: readonly string[] | null;
}

const CALL_LIMIT_MS = 15_000;
const ANSWER_MAX_BYTES = 4 * 1_024 * 1_024;

export function createHttpsCaller({ hosts, proxyUrl, roots }: HttpsCallerOptions): {
  readonly call: CallHttps;
  close(): void;
} {
  const agent = new Agent({
    // Calls are rare, and a kept connection may have been closed by the host at the moment of the next call.
    keepAlive: false,
    maxSockets: 8,
    ...(roots === null ? {} : { ca: [...roots] }),
    // Only the configured proxy counts, not the proxy variables of the environment.
    proxyEnv: proxyUrl === null ? {} : { HTTPS_PROXY: proxyUrl },
  });

  async function call({ method, host, path, headers, body }: HttpsCall): Promise<HttpsAnswer> {
    if (!hosts.has(host)) throw new CallError(`the call to ${host} was not sent, because the host is not allowed`);
    const signal = AbortSignal.timeout(CALL_LIMIT_MS);
    try {
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request({ agent, method, host, port: 443, path, headers: { ...headers }, signal }, resolve);
        outgoing.once('error', reject);
        outgoing.end(body);
      });
      return { status: message.statusCode ?? 0, body: await boundedBody(message, ANSWER_MAX_BYTES) };
    } catch (error) {
      throw new CallError(`the call to ${host} failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  return { call, close: () => agent.destroy() };
}
