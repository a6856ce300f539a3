import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

interface Get {
  readonly url: URL;
  /** Address to connect to; by default that of the host in the URL. */
  readonly address: string;
  /** Name that the certificate must have, and its issuers (PEM). Verification cannot be switched off. */
  readonly tls?: { readonly servername: string; readonly ca: string | undefined };
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export interface Got {
  readonly status: number;
  readonly text: string;
}

/** Thrown if an answer is longer than its limit. */
export class TooLongError extends Error {}

async function readBody(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > maxBytes) throw new TooLongError(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Sends one GET on a connection of its own; redirects are not followed. Throws a {@link TooLongError}, an error of the connection or its
 * certificate, or an AbortError after `timeoutMs`.
 */
export async function boundedGet({ url, address, tls, headers, maxBytes, timeoutMs }: Get): Promise<Got> {
  const request = tls === undefined ? requestHttp : requestHttps;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({
      host: address,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...headers },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      ...(tls === undefined ? {} : { servername: tls.servername, ca: tls.ca, rejectUnauthorized: true }),
    })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });
  return { status: answer.statusCode ?? 0, text: await readBody(answer, maxBytes) };
}
