import { createClient, type CallData, type CallInput, type Client, type Problem, type RouteSpec } from '@hamlet/contract'

/** A refusal in words. `code` is the contract's, or `unreachable` where no answer came. */
export interface Refused {
  readonly code: Problem['code'] | 'unreachable'; readonly title: string; readonly detail: string; readonly status: number
  /** Which parts of what was sent are wrong, where the answer says. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
}
export type Reply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: Refused }

/** The api of this village. Never throws: a lost connection is a refusal too. */
export interface Api { call<const R extends RouteSpec>(route: R, input: CallInput<R>): Promise<Reply<CallData<R>>> }

/** Talks to the origin that served the page; the session cookie goes along by itself. */
export function createApi(client: Client = createClient({ baseUrl: window.location.origin, fetch: (...request) => window.fetch(...request) })): Api {
  return {
    async call(route, input) {
      try {
        const outcome = await client.call(route, input)
        if (outcome.ok) return { ok: true, data: outcome.data }
        const { code, title, detail, status, errors = [] } = outcome.problem
        return { ok: false, refused: { code, title, detail, status, errors } }
      } catch (error) {
        console.error(`${route.name} failed`, error)
        return { ok: false, refused: { code: 'unreachable', title: 'The village does not answer', detail: 'The connection was lost, or the answer could not be read.', status: 0, errors: [] } }
      }
    },
  }
}
