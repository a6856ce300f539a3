import { wellFormed, type RouteSpec } from '@hamlet/contract';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { shorten } from '@hamlet/core';
import { refused, type Refused } from '../outcome.ts';
import { refusalOfError } from '../respond.ts';

const ERRORS_MAX = 20;
/** Limit of an issue's text: an issue can quote the whole request. */
const MESSAGE_MAX_CHARS = 300;

const pathOf = (part: string, path: readonly PropertyKey[]): string => [part, ...path.map(String)].join('.');

/** Distance of a value from a branch of a union: the number of issues; infinite for a value of another type. */
function distance(branch: readonly z.core.$ZodIssue[]): number {
  return branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
    ? Number.POSITIVE_INFINITY
    : branch.length;
}

/** The innermost issues. For a union, only the issues of the nearest branch count. */
function flatten(
  part: string,
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[] = [],
): { path: string; message: string }[] {
  return issues.slice(0, ERRORS_MAX).flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const nearest = issue.errors.reduce((best, branch) => (distance(branch) < distance(best) ? branch : best));
      return flatten(part, nearest, path);
    }
    const [where, message] = [pathOf(part, path), issue.message];
    return [{ path: shorten(where, MESSAGE_MAX_CHARS), message: shorten(message, MESSAGE_MAX_CHARS) }];
  });
}

/** The values of one part of the request. Express splits a parameter that contains slashes; this joins it again. */
function sentOf(part: 'params' | 'query' | 'body', request: Request): unknown {
  if (part === 'body') return request.body ?? {};
  if (part === 'query') return request.query;
  return Object.fromEntries(
    Object.entries(request.params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  );
}

export function parseRequest(
  route: RouteSpec,
  request: Request,
):
  | { readonly ok: true; readonly value: { readonly params: unknown; readonly query: unknown; readonly body: unknown } }
  | Refused {
  const errors: { path: string; message: string }[] = [];
  const value: Record<string, unknown> = {};
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = route[part];
    if (schema === undefined) continue;
    const parsed = schema.safeParse(sentOf(part, request));
    if (parsed.success) value[part] = parsed.data;
    else errors.push(...flatten(part, parsed.error.issues));
  }
  if (errors.length === 0)
    return { ok: true, value: { params: value['params'], query: value['query'], body: value['body'] } };
  const [first] = errors;
  return { ...refused('validation_failed', `${first?.path}: ${first?.message}`), errors: errors.slice(0, ERRORS_MAX) };
}

/** The usual limit. The largest such body is a turn with its perceptions. */
const BODY_MAX_BYTES = 256 << 10;
/**
 * Limit of a raw body whose route names none. Any caller may send a notification, and the API stores it before it
 * verifies it. A notification of PayPal has a few KB.
 */
const RAW_BODY_MAX_BYTES = 32 << 10;
/** Limit for unauthenticated callers: they send a name and a password, or a one-time code. */
const STRANGERS_BODY_MAX_BYTES = 16 << 10;
/** Limit of nested levels, far above any valid body, because each level costs time. */
const LEVELS_MAX = 64;

function bodyLimitOf({ rawBody, permission, bodyMaxBytes }: RouteSpec): number {
  if (rawBody === true) return bodyMaxBytes ?? RAW_BODY_MAX_BYTES;
  return permission === 'anyone' ? STRANGERS_BODY_MAX_BYTES : (bodyMaxBytes ?? BODY_MAX_BYTES);
}

export type ReadBody = (request: Request, response: Response) => Promise<Refused | null>;

export function bodyReader(route: RouteSpec): ReadBody {
  const { method, rawBody } = route;
  if (method === 'GET') return () => Promise.resolve(null);
  const limit = bodyLimitOf(route);
  const parse: RequestHandler =
    rawBody === true
      ? express.raw({ limit, type: () => true })
      : express.json({ limit, strict: false, type: ['application/json', 'application/*+json'], verify: noteHalves });
  return async (request, response) => {
    const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
    if (error !== undefined && error !== null) return refusalOfParser(error, limit);
    if (rawBody === true) return null;
    if (isDeep(request.body))
      return refused('validation_failed', `body: reduce it to ${LEVELS_MAX} levels of lists and objects`);
    if (HALVES.has(request)) request.body = wellFormed(request.body);
    return null;
  };
}

/** Requests whose body may have halves of surrogate pairs, which JSON has only as escapes. */
const HALVES = new WeakSet<object>();

function noteHalves(request: object, _response: unknown, bytes: Buffer): void {
  if (bytes.includes('\\ud') || bytes.includes('\\uD')) HALVES.add(request);
}

function refusalOfParser(error: unknown, limit: number): Refused {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : '';
  if (type === 'entity.too.large')
    return refused('body_too_large', `The body is too large: send at most ${limit >> 10} KiB`);
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

/** Walks level by level: recursion would exhaust the stack on a deep value. */
function isDeep(value: unknown): boolean {
  let level = partsOf(value);
  for (let depth = 1; depth <= LEVELS_MAX; depth += 1) {
    if (level.length === 0) return false;
    level = level.flatMap(partsOf);
  }
  return level.length > 0;
}
