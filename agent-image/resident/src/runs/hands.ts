import type { AgentView, MoveBody, Refusal, WorldView } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import type { Answer, Village } from '../village/village.ts';
import type { Bell } from './bell.ts';
import { untilTold } from './patience.ts';
import type { PatiencePorts, Told } from './patience.ts';

/** How long it waits for a wake before it looks for itself whether it has come to where it was going. */
const ARRIVAL_LOOK_MS = 5_000;
/** A walk across the village takes under two minutes; one that takes longer was diverted. */
const WALK_LOOKS_MAX = 60;

export interface HandsPorts extends PatiencePorts {
  readonly village: Village;
  readonly agentId: string;
  /** Rings when the agent arrives somewhere. */
  readonly arrival: Bell;
}

/** Why a walk did not lead anywhere. */
export interface NoWay {
  readonly code: Refusal | 'too_long';
  readonly detail: string;
}

/** What every deed for a run is done with. All of it rejects once the run is to end. */
export interface Hands {
  readonly village: Village;
  /** The name of one try of one step: what is done under it is done once, by whatever process. */
  key(step: number, tries: number): string;
  told<T>(ask: () => Promise<Answer<T>>): Promise<Told<T>>;
  /** What is around the agent, and one other agent wherever that is. */
  around(other?: string): Promise<{ readonly view: WorldView; readonly self: AgentView }>;
  /** The whole village. */
  world(): Promise<{ readonly view: WorldView; readonly self: AgentView }>;
  /** Sets out and waits until it stands; null where it went. */
  walk(body: MoveBody, key: string): Promise<NoWay | null>;
  pause(ms: number): Promise<void>;
}

export function createHands(ports: HandsPorts, runId: string, signal: AbortSignal): Hands {
  const { village, agentId, arrival } = ports;
  const told = async <T>(ask: () => Promise<Answer<T>>): Promise<Told<T>> => {
    const answer = await untilTold(ask, signal, ports);
    signal.throwIfAborted();
    return answer;
  };

  async function see(
    ask: () => Promise<Answer<WorldView>>,
  ): Promise<{ readonly view: WorldView; readonly self: AgentView }> {
    const answer = await told(ask);
    if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
    const self = answer.value.agents.find(({ agent_id }) => agent_id === agentId);
    if (self === undefined) throw new RunFailure('not_in_the_world', 'The agent is not in the world');
    return { view: answer.value, self };
  }

  async function walk(body: MoveBody, key: string): Promise<NoWay | null> {
    arrival.hush();
    const answer = await told(() => village.move(body, key));
    // The same walk, begun by a process before this one, may still be under way.
    if (answer.kind === 'refused' && answer.code !== 'idempotency_key_reused') return answer;
    for (let looks = 0; looks < WALK_LOOKS_MAX; looks += 1) {
      await arrival.wait(ARRIVAL_LOOK_MS, signal);
      if ((await see(() => village.around())).self.moving_to === null) return null;
    }
    return { code: 'too_long', detail: 'the way took too long' };
  }

  return {
    village,
    key: (step, tries) => `run-${runId}-${step}-${tries}`,
    told,
    around: (other) => see(() => village.around(other)),
    world: () => see(() => village.world()),
    walk,
    pause: async (ms) => {
      await ports.rest(ms);
      signal.throwIfAborted();
    },
  };
}
