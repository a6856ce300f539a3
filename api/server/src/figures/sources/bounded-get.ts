import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { boundedBody } from '../../service/bounded-body.ts';

interface Get {
  readonly url: URL;
  /** Address to connect to, whose host the URL names. */
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

/**
 * Sends one GET on a connection of its own; redirects are not followed. Throws a TooLongError, an error of the connection or its
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
  return { status: answer.statusCode ?? 0, text: (await boundedBody(answer, maxBytes)).toString('utf8') };
}
