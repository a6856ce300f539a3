import { Agent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { readFileSync } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { VILLAGE_CERTIFICATE } from '../hands/proxy-environment.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const BODY_BYTES = 4 << 20;
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for servers of third parties: through the proxy of the environment, if set, without redirects, and with a limit for
 * each answer. It trusts the public authorities, and the village's if the broker inspects requests. Node's own `fetch` uses a
 * proxy only if the whole process does.
 */
export function webFetch(
  environment: Readonly<Record<string, string>>,
  certificate: string = VILLAGE_CERTIFICATE,
): Fetch {
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = environment;
  const proxyEnv = { HTTP_PROXY, HTTPS_PROXY, NO_PROXY };
  const agents = { http: new Agent({ proxyEnv }), https: new SecureAgent({ proxyEnv, ...trusted(certificate) }) };
  return async (url, init = {}) => {
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const options = {
      agent: isSecure ? agents.https : agents.http,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.signal instanceof AbortSignal ? { signal: init.signal } : {}),
    };
    const sent = (isSecure ? secureRequest : plainRequest)(target, options, (answer) => {
      const { statusCode = 502, headers } = answer;
      const shown = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      );
      const body = EMPTY.has(statusCode) ? null : Readable.toWeb(answer.pipe(limited()));
      answer.on('error', () => {});
      resolve(new Response(body as ReadableStream | null, { status: statusCode, headers: shown }));
    });
    sent.on('error', reject);
    sent.end(typeof init.body === 'string' ? init.body : undefined);
    return promise;
  };
}

/** The public roots, with the village's authority if the village has a broker. */
function trusted(certificate: string): { readonly ca?: string[] } {
  try {
    return { ca: [...rootCertificates, readFileSync(certificate, 'utf8')] };
  } catch {
    return {};
  }
}

/** Forwards bytes up to the limit. Mutable, because it counts. */
function limited(): Transform {
  let bytes = 0;
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      done(bytes > BODY_BYTES ? new Error(`the answer is longer than ${BODY_BYTES >> 20} MiB`) : null, chunk);
    },
  });
  body.on('error', () => {});
  return body;
}
