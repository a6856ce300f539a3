import type { RouteSpec } from '@hamlet/contract';
import type { Db } from '@hamlet/store';
import { originOf, type AnyHandler, type Handlers, type Origin } from '../handler.ts';
import { runOnce, writeKeyOf } from '../idempotent.ts';
import { refused, type Outcome } from '../outcome.ts';
import { refuseBeyondQuota } from '../rate-limit.ts';
import { authorize } from './authorize.ts';
import type { LimitActor } from './exchange.ts';

/** `N`: the names of the routes that may be requested. */
export interface VillageRequestPorts<N extends keyof Handlers> {
  readonly db: Db;
  readonly handlers: Pick<Handlers, N>;
  readonly limitActor: LimitActor;
}

interface KeyedCaller extends Origin {
  readonly key: string;
}

export interface RouteInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Requests a route for a caller of another protocol, with the quota, permission, schemas and idempotency of HTTP, so
 * that the caller can do no more than its person.
 */
export async function requestVillage<N extends keyof Handlers>(
  { db, handlers, limitActor }: VillageRequestPorts<N>,
  route: RouteSpec & { readonly name: N },
  { caller, input }: { readonly caller: KeyedCaller; readonly input: RouteInput },
): Promise<Outcome<unknown>> {
  const { whole } = await limitActor(caller.actor, route);
  const denied = refuseBeyondQuota(await whole) ?? authorize(route, caller.actor, input.params ?? {});
  if (denied !== null) return denied;
  const parsed = parse(route, input);
  if (!parsed.ok) return parsed;
  const request = { ...parsed.data, ...originOf(caller), now: new Date(), headers: {} };
  const handler = handlers[route.name] as AnyHandler;
  if (handler.kind === 'plain') return handler.run(request);
  const keyed = writeKeyOf(caller.actor.id, caller.key, { route: route.name, input: parsed.data });
  if (!keyed.ok) return keyed;
  if (handler.kind === 'tx') return (await runOnce(db, keyed.key, (tx) => handler.run(request, tx))).outcome;
  if (handler.kind === 'own') return (await handler.run(request, keyed.key)).outcome;
  throw new TypeError(`a bug: no other protocol can call the route ${route.name}`);
}

function parse(route: RouteSpec, input: RouteInput): Outcome<Readonly<Record<string, unknown>>> {
  const data: Record<string, unknown> = {};
  for (const part of ['params', 'query', 'body'] as const) {
    const parsed = route[part]?.safeParse(input[part] ?? {});
    if (parsed === undefined) continue;
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refused('validation_failed', `${issue?.path.join('.') ?? part}: ${issue?.message ?? 'wrong'}`);
    }
    data[part] = parsed.data;
  }
  return { ok: true, data };
}
