import type { RouteSpec } from '@hamlet/contract';
import type { Request } from 'express';
import type { z } from 'zod';
import { refused } from './outcome.ts';
import type { Refused } from './outcome.ts';

const ERRORS_MAX = 20;
/** A complaint that quotes the request can be as long as the request. */
const MESSAGE_MAX_CHARS = 300;

export interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

function pathOf(part: string, path: readonly PropertyKey[]): string {
  return [part, ...path.map(String)].join('.');
}

/** How far a value is from a branch of a union: the number of complaints, and farther than any number where it is of another type altogether. */
function distance(branch: readonly z.core.$ZodIssue[]): number {
  return branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
    ? Number.POSITIVE_INFINITY
    : branch.length;
}

function shortened(text: string): string {
  return text.length <= MESSAGE_MAX_CHARS ? text : `${text.slice(0, MESSAGE_MAX_CHARS)}…`;
}

/** The innermost complaints: a union says "invalid input" and keeps the reasons of its branches inside; those of the nearest are told. */
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
    return [{ path: shortened(pathOf(part, path)), message: shortened(issue.message) }];
  });
}

/** A last parameter with slashes comes in pieces. */
function sentOf(part: 'params' | 'query' | 'body', request: Request): unknown {
  if (part === 'body') return request.body ?? {};
  if (part === 'query') return request.query;
  return Object.fromEntries(
    Object.entries(request.params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  );
}

/** Parses params, query and body by the route's schemas; a refusal names each place and what to write there. */
export function parseRequest(
  route: RouteSpec,
  request: Request,
): { readonly ok: true; readonly value: ParsedRequest } | Refused {
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
