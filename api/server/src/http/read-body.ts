import type { RouteSpec } from '@hamlet/contract';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { refused } from './outcome.ts';
import type { Refused } from './outcome.ts';
import { refusalOfError } from './respond.ts';

/** A turn with all that was perceived is the largest body there is. */
const BODY_MAX_BYTES = 256 << 10;
/** A notification in bytes, which anybody may send and which is kept before anything of it is believed. Those of PayPal are a few KB. */
const RAW_BODY_MAX_BYTES = 32 << 10;
/** What a caller sends who has not said who it is: a name and a password, a code. */
const STRANGERS_BODY_MAX_BYTES = 16 << 10;
/** Nothing that the village knows comes near it, and each further level costs whoever walks through the value. */
const LEVELS_MAX = 64;

/** Reads the body of an admitted request; returns why it cannot be read. */
export type ReadBody = (request: Request, response: Response) => Promise<Refused | null>;

/** How the bodies of a route are read: as JSON; where the route asks for bytes, as the bytes they are. */
export function bodyReader({ method, rawBody, permission }: RouteSpec): ReadBody {
  if (method === 'GET') return () => Promise.resolve(null);
  const limit =
    rawBody === true ? RAW_BODY_MAX_BYTES : permission === 'anyone' ? STRANGERS_BODY_MAX_BYTES : BODY_MAX_BYTES;
  const parse: RequestHandler =
    rawBody === true
      ? express.raw({ limit, type: () => true })
      : express.json({ limit, strict: false, type: ['application/json', 'application/*+json'] });
  return async (request, response) => {
    const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
    if (error !== undefined && error !== null) return refusalOfParser(error, limit);
    return rawBody !== true && isDeep(request.body)
      ? refused('validation_failed', `body: at most ${LEVELS_MAX} levels of lists and objects`)
      : null;
  };
}

/** What the body parser throws, as the refusal that says how to mend it. */
function refusalOfParser(error: unknown, limit: number): Refused {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : '';
  if (type === 'entity.too.large') return refused('body_too_large', `At most ${limit >> 10} KiB`);
  if (
    type === 'entity.parse.failed' ||
    type === 'request.aborted' ||
    type === 'request.size.invalid' ||
    type === 'encoding.unsupported' ||
    type === 'charset.unsupported'
  )
    return refused('malformed_body');
  return refusalOfError(error);
}

function partsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Level by level, since a call for each level is what a deep value would exhaust. */
function isDeep(value: unknown): boolean {
  let level = partsOf(value);
  for (let depth = 1; depth <= LEVELS_MAX; depth += 1) {
    if (level.length === 0) return false;
    level = level.flatMap(partsOf);
  }
  return level.length > 0;
}
