import type { Response } from 'express';

/** A limit beside that of requests per minute, as the headers of an answer tell it. */
export interface ShownLimit {
  readonly name: string;
  readonly quota: number;
  readonly remaining: number;
  readonly unit: 'tokens' | 'concurrent-requests';
  /** Seconds over which it is counted, and until the count starts anew; left out where nothing is counted over time. */
  readonly windowS?: number;
  readonly resetS?: number;
}

/** Adds limits to the fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), which have that of requests already. */
export function showLimits(response: Response, limits: readonly ShownLimit[] = []): void {
  for (const { name, quota, remaining, unit, windowS, resetS } of limits) {
    response.append(
      'ratelimit-policy',
      `"${name}";q=${quota};qu="${unit}"${windowS === undefined ? '' : `;w=${windowS}`}`,
    );
    response.append('ratelimit', `"${name}";r=${remaining}${resetS === undefined ? '' : `;t=${resetS}`}`);
  }
}
