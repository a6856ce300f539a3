import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import type { Author } from './stage.ts';

/** Answered requests a second, and the 99th percentile of their time in milliseconds. */
export interface Load {
  readonly rps: number;
  readonly p99Ms: number;
}

export interface Target {
  readonly url: string;
  /** One connection for each author. */
  readonly authors: readonly Author[];
  readonly seconds: number;
  /** Body of a POST, each with a new idempotency key; absent for a GET. */
  readonly body?: string;
}

/** Keeps every connection busy for the duration. Throws on any refusal, since a refusal takes less time than an answer. */
export async function load({ url, authors, seconds, body }: Target): Promise<Load> {
  let next = 0;
  const result = await autocannon({
    url,
    connections: authors.length,
    duration: seconds,
    setupClient: (client) => {
      const author = authors[next % authors.length];
      next += 1;
      if (author === undefined) throw new Error('no author for the request');
      const headers = {
        authorization: `Bearer ${author.token}`,
        'x-actor': author.name,
        'content-type': 'application/json',
      };
      const keyed = (request: autocannon.Request): autocannon.Request => ({
        ...request,
        headers: { ...headers, 'idempotency-key': randomUUID() },
      });
      client.setRequests([
        body === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body, setupRequest: keyed },
      ]);
    },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed, of ${result.requests.total}`);
  return { rps: result.requests.average, p99Ms: result.latency.p99 };
}
