import { type AgentDetail, awakenAgent, rebootAgent, suspendAgent } from '@hamlet/contract'
import type { Api, Refused } from './api.ts'
import { createStore, type Store } from './store.ts'
import type { Village } from './village.ts'

export type Verb = 'awaken' | 'suspend' | 'reboot'
/** Where an asked change stands. `text` says what happens now. */
export type LifecycleState =
  | { readonly kind: 'pending'; readonly verb: Verb; readonly text: string }
  | { readonly kind: 'done'; readonly verb: Verb; readonly text: string }
  | { readonly kind: 'refused'; readonly verb: Verb; readonly refused: Refused }

const ROUTES = { awaken: awakenAgent, suspend: suspendAgent, reboot: rebootAgent } as const
const POLL_MS = 1000
/** After this the panel stops watching closely; the ordinary refresh goes on. */
const WATCH_MS = 120_000

/** What has come of a change so far, from the agent as it is now and the cycle it had when the change was asked. */
export function progress(verb: Verb, agent: AgentDetail, cycleBefore: number): { readonly done: boolean; readonly text: string } {
  if (verb === 'suspend') return suspension(agent)
  const name = agent.display_name
  const started = verb === 'awaken' || agent.cycle > cycleBefore
  if (started && agent.power === 'Awake' && agent.why.ready) return { done: true, text: verb === 'awaken' ? `${name} is awake.` : `${name} runs again, in cycle ${agent.cycle}.` }
  return { done: false, text: started && agent.why.message !== '' ? agent.why.message : 'Waiting for the operator.' }
}

function suspension(agent: AgentDetail): { readonly done: boolean; readonly text: string } {
  if (agent.power === 'Asleep' && agent.pod === null) return { done: true, text: `${agent.display_name} is asleep. Its home and memory are kept.` }
  return { done: false, text: agent.pod === null ? 'Waiting for the operator.' : `Stopping pod ${agent.pod}.` }
}

/** Asks for changes of agents' lives and watches what comes of them. Mutable because a change outlives the panel that asked for it. */
export class Lifecycle {
  readonly states: Store<ReadonlyMap<string, LifecycleState>> = createStore<ReadonlyMap<string, LifecycleState>>(new Map())
  readonly #api: Api
  readonly #village: Village

  constructor(api: Api, village: Village) {
    this.#api = api
    this.#village = village
  }

  /** @param takeOver whether to take the field from another manager, where an earlier answer named one */
  async ask(agent: AgentDetail, verb: Verb, takeOver = false): Promise<void> {
    const id = agent.agent_id
    this.#put(id, { kind: 'pending', verb, text: 'Asking the village.' })
    const reply = await this.#api.call(ROUTES[verb], { params: { agent_id: id }, query: { on_conflict: takeOver ? 'take_over' : 'refuse' } })
    if (!reply.ok) { this.#put(id, { kind: 'refused', verb, refused: reply.refused }); return }
    await this.#watch(id, verb, agent.cycle)
  }

  /** Takes the note of a finished change away. */
  dismiss(id: string): void {
    this.states.set((states) => { const rest = new Map(states); rest.delete(id); return rest })
  }

  async #watch(id: string, verb: Verb, cycleBefore: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += POLL_MS) {
      const agent = await this.#village.refreshAgent(id)
      const now = agent === null ? { done: false, text: 'The village does not answer; trying again.' } : progress(verb, agent, cycleBefore)
      this.#put(id, { kind: now.done ? 'done' : 'pending', verb, text: now.text })
      if (now.done) return
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS) })
    }
  }

  #put(id: string, state: LifecycleState): void {
    this.states.set((states) => new Map(states).set(id, state))
  }
}
