import { type AgentDetail, awakenAgent, rebootAgent, type Role, roleMay, suspendAgent } from '@hamlet/contract';
import type { Caller, Refused } from './api.ts';
import { createStore, type Store } from './store.ts';

export type Verb = 'awaken' | 'suspend' | 'reboot';
/** `asking`: no answer yet. `pending`: accepted, checked often. `late`: slower than usual, checked less often. */
export type LifecycleState =
  | { readonly kind: 'asking' | 'pending' | 'late' | 'done'; readonly verb: Verb; readonly text: string }
  | { readonly kind: 'refused'; readonly verb: Verb; readonly refused: Refused };

/** True if a change disables the button of `verb`: every button until the API answers, then its own until it is late. */
export function locks(state: LifecycleState | undefined, verb: Verb): boolean {
  return state !== undefined && (state.kind === 'asking' || (state.kind === 'pending' && state.verb === verb));
}

const ROUTES = { awaken: awakenAgent, suspend: suspendAgent, reboot: rebootAgent } as const;
const POLL_MS = 1000;
/** After this many checks a change counts as late, and the page checks it less often. */
const CLOSE_LOOKS = 120;
const LATE_POLL_MS = 10_000;
/** The page stops checking after this many checks, about two hours, and keeps the last known state. */
const MAX_LOOKS = CLOSE_LOOKS + 720;

/** The progress of a change. `agent` is the present agent, and `cycleBefore` its cycle at the request. */
export function progress(
  verb: Verb,
  agent: AgentDetail,
  cycleBefore: number,
): { readonly done: boolean; readonly text: string } {
  if (verb === 'suspend') return suspension(agent);
  const name = agent.display_name;
  const started = verb === 'awaken' || agent.cycle > cycleBefore;
  if (started && agent.power === 'Awake' && agent.why.ready)
    return {
      done: true,
      text: verb === 'awaken' ? `${name} is awake.` : `${name} runs again, in cycle ${agent.cycle}.`,
    };
  return { done: false, text: started && agent.why.message !== '' ? agent.why.message : 'Waiting for the operator.' };
}

function suspension(agent: AgentDetail): { readonly done: boolean; readonly text: string } {
  if (agent.power === 'Asleep' && agent.pod === null)
    return { done: true, text: `${agent.display_name} is asleep. Its home and memory are kept.` };
  return { done: false, text: agent.pod === null ? 'Waiting for the operator.' : `Stopping pod ${agent.pod}.` };
}

export type Wait = (ms: number) => Promise<void>;
const sleep: Wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

type Reader = Readonly<{ refresh(id: string): Promise<AgentDetail | null> }>;

/** Requests changes of agents' lives and watches them. Mutable because a change outlives the panel that requested it. */
export class Lifecycle {
  readonly states: Store<ReadonlyMap<string, LifecycleState>> = createStore<ReadonlyMap<string, LifecycleState>>(
    new Map(),
  );
  readonly #api: Caller;
  readonly #agents: Reader;
  readonly #wait: Wait;
  /** The last request for each agent; a dismissal deletes it. A watch ends when its own request is no longer here. */
  readonly #latest = new Map<string, symbol>();

  constructor(api: Caller, agents: Reader, wait: Wait = sleep) {
    this.#api = api;
    this.#agents = agents;
    this.#wait = wait;
  }

  /** @param takeOver true to take the field from the other manager that an earlier answer named */
  async ask(agent: AgentDetail, verb: Verb, takeOver = false): Promise<void> {
    const id = agent.agent_id;
    const own = Symbol(verb);
    this.#latest.set(id, own);
    this.#put(id, own, { kind: 'asking', verb, text: 'Sending the request.' });
    const reply = await this.#api.call(ROUTES[verb], {
      params: { agent_id: id },
      query: { on_conflict: takeOver ? 'take_over' : 'refuse' },
    });
    if (!reply.ok) {
      this.#put(id, own, { kind: 'refused', verb, refused: reply.refused });
      return;
    }
    await this.#watch(agent, verb, own);
  }

  /** Removes the notice of a change and stops watching it; the change itself continues. */
  dismiss(id: string): void {
    this.#latest.delete(id);
    this.states.set((states) => {
      const rest = new Map(states);
      rest.delete(id);
      return rest;
    });
  }

  async #watch({ agent_id: id, cycle }: AgentDetail, verb: Verb, own: symbol): Promise<void> {
    for (let looks = 0; looks < MAX_LOOKS && this.#latest.get(id) === own; looks += 1) {
      const agent = await this.#agents.refresh(id);
      const late = looks >= CLOSE_LOOKS;
      const now =
        agent === null
          ? { done: false, text: 'The village does not answer. Trying again.' }
          : progress(verb, agent, cycle);
      this.#put(id, own, { kind: now.done ? 'done' : late ? 'late' : 'pending', verb, text: now.text });
      if (now.done) return;
      await this.#wait(late ? LATE_POLL_MS : POLL_MS);
    }
  }

  #put(id: string, own: symbol, state: LifecycleState): void {
    if (this.#latest.get(id) === own) this.states.set((states) => new Map(states).set(id, state));
  }
}

/** The reason why the viewer cannot request a change of an agent's life now; null if they can. */
export function notAllowed(
  verb: Verb,
  now: { readonly power: 'Awake' | 'Asleep'; readonly role: Role; readonly pending: boolean },
): string | null {
  if (!roleMay(now.role, 'agent:lifecycle'))
    return now.role === 'visitor' ? 'Sign in as an admin to do this' : 'Only admins may do this';
  if (now.pending) return 'A change is in progress';
  if (verb === 'awaken' && now.power === 'Awake') return 'It is awake already';
  if (verb === 'suspend' && now.power === 'Asleep') return 'It is asleep already';
  if (verb === 'reboot' && now.power === 'Asleep') return 'It is asleep: awaken it instead';
  return null;
}
