import { Agent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { readFileSync } from 'node:fs';
import { Readable, Transform, type TransformOptions } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { rootCertificates } from 'node:tls';
import { VILLAGE_CERTIFICATE } from '../hands/proxy-environment.ts';
import { exactIntegers } from './exact-integers.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Maximum bytes of an answer, and of one event of a stream. */
const BODY_BYTES = 16 << 20;
const LINE_END = '\n';
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
      const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
      const body = EMPTY.has(statusCode) ? null : Readable.toWeb(answer.pipe(isStream ? exactLines() : exactWhole()));
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

const tooLong = (): Error => new Error(`the answer is longer than ${BODY_BYTES >> 20} MiB`);

/** Forwards an answer that is read as a whole, with exact integers. Mutable, because it collects. */
function exactWhole(): Transform {
  const parts: Buffer[] = [];
  let bytes = 0;
  return quiet({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      parts.push(chunk);
      done(bytes > BODY_BYTES ? tooLong() : null);
    },
    flush: (done) => done(null, exactIntegers(Buffer.concat(parts).toString())),
  });
}

/** Data of an event that is JSON. Other data, such as the address of an older server, and ids stay as they are. */
const JSON_DATA = /^(data: ?)([{[].*)$/gm;

const exactData = (lines: string): string =>
  lines.replaceAll(JSON_DATA, (_, head: string, json: string) => head + exactIntegers(json));

/** Forwards a stream of events line by line, with exact integers. Mutable: it holds the rest of a line, and the size of the present event. */
function exactLines(): Transform {
  const decoder = new StringDecoder('utf8');
  let [rest, size] = ['', 0];
  return quiet({
    transform: (chunk: Buffer, _encoding, done) => {
      rest += decoder.write(chunk);
      const end = rest.lastIndexOf(LINE_END) + 1;
      const lines = rest.slice(0, end);
      rest = rest.slice(end);
      // Lines are whole, so an empty one begins with the end of the line before.
      const text = `\n${lines}`;
      const empty = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'));
      size = empty === -1 ? size + lines.length : lines.length - empty;
      done(size + rest.length > BODY_BYTES ? tooLong() : null, lines === '' ? undefined : exactData(lines));
    },
    flush: (done) => done(null, exactData(rest)),
  });
}

/** A transform whose errors reach only the reader of the answer. */
function quiet(options: TransformOptions): Transform {
  const body = new Transform(options);
  body.on('error', () => {});
  return body;
}
