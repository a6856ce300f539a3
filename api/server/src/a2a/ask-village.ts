import type { callA2a, Refusal, RouteSpec } from '@hamlet/contract';
import { setTimeout as pause } from 'node:timers/promises';
import { originOf, type DataOf, type RequestOf } from '../http/handler.ts';
import type { Outcome } from '../http/outcome.ts';
import { requestVillage, type RouteInput, type VillageRequestPorts } from '../http/pipeline/request-village.ts';

/** The routes by which calls over A2A change something. */
type A2aRoute = 'createSession' | 'endSession' | 'sendMessage' | 'answerPermission' | 'cancelRun';
export type A2aPorts = VillageRequestPorts<A2aRoute>;
export type A2aRequest = RequestOf<typeof callA2a>;

const IN_FLIGHT: Refusal = 'idempotency_in_flight';
/** Retries while another call holds the key; together they outlast a transaction. */
const REPEATS_MAX = 40;
const PAUSE_MS = 50;

/** Requests a route. The same key has one effect, also for concurrent calls. */
export type AskVillage = <const R extends RouteSpec & { readonly name: A2aRoute }>(
  route: R,
  input: RouteInput,
  key: string,
) => Promise<Outcome<DataOf<R>>>;

export function askVillage(ports: A2aPorts, request: A2aRequest): AskVillage {
  return async <const R extends RouteSpec & { readonly name: A2aRoute }>(route: R, input: RouteInput, key: string) => {
    const caller = { ...originOf(request), key };
    let outcome = await requestVillage(ports, route, { caller, input });
    for (let repeat = 0; !outcome.ok && outcome.reason === IN_FLIGHT && repeat < REPEATS_MAX; repeat += 1) {
      await pause(PAUSE_MS);
      outcome = await requestVillage(ports, route, { caller, input });
    }
    return outcome as Outcome<DataOf<R>>;
  };
}
