import type { Api, Caller, Refused, Reply } from './api.ts';

export function refusedWith(code: Refused['code'], status: number): Refused {
  return { code, title: 'No', detail: '', status, errors: [] };
}

export function refusal(code: Refused['code'], status: number): { readonly ok: false; readonly refused: Refused } {
  return { ok: false, refused: refusedWith(code, status) };
}

export const AWAY = refusal('unavailable', 503);

/** An API that answers by the name of the route. No test reads an answer as one of another route. */
export function apiThat(answer: (route: string) => Reply<unknown>): Caller {
  const call = ({ name }: { readonly name: string }): Promise<Reply<unknown>> => Promise.resolve(answer(name));
  return { call: call as Api['call'] };
}

export const UNREACHABLE = apiThat(() => AWAY);
