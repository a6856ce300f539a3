import type { ActionBody, AgentView, MoveBody, Refusal, WorldView } from '@hamlet/contract';
import { QUIET_EARSHOT_TILES } from '@hamlet/contract/resident';
import { RunFailure, type ToolResult } from '@hamlet/engine';
import { nameOf } from '../brain/decision.ts';
import { actionAt } from '../brain/doing.ts';
import { tilesBetween } from '../brain/situation.ts';
import { placeInWords } from '../brain/words.ts';
import { retry, type Definite, type RetryPorts } from '../village/retry.ts';
import type { Answer, Village } from '../village/village.ts';
import type { AsyncEvent } from '../process/async-event.ts';
import { sightOf } from './surroundings.ts';

/** Interval at which a walking agent checks its position, in case a wake was lost. */
const ARRIVAL_LOOK_MS = 5_000;
/** Five minutes of these checks. A walk across the village takes under two minutes; a longer one has been diverted. */
const WALK_LOOKS_MAX = 60;
/** Maximum number of walks to one place: another agent may take the last slot, or a person may move the agent. */
const WALKS_MAX = 4;
const CHASES_MAX = 8;
const FULL_PAUSE_MS = 3_000;
/** Refusals of a walk that may be temporary. */
const TEMPORARY: ReadonlySet<string> = new Set<WalkFailure['code']>(['no_free_slot', 'slot_taken', 'too_long']);
const KEPT_WALKING = 'it kept walking away';

export interface ToolPorts extends RetryPorts {
  readonly village: Village;
  readonly agentId: string;
  readonly arrival: AsyncEvent;
}

export interface WalkFailure {
  readonly code: Refusal | 'too_long';
  readonly detail: string;
}

interface Seen {
  readonly view: WorldView;
  readonly self: AgentView;
}

/** The primitives of the tools. All of them reject once the run must end. */
export interface Tools {
  readonly village: Village;
  /** The idempotency key of one attempt of one step, the same in every process. */
  key(step: number, tries: number): string;
  ask<T>(request: () => Promise<Answer<T>>): Promise<Definite<T>>;
  around(other?: string): Promise<Seen>;
  world(): Promise<Seen>;
  /** Walks and waits for the arrival; null on success. */
  walk(body: MoveBody, key: string): Promise<WalkFailure | null>;
  pause(ms: number): Promise<void>;
}

export function createTools(ports: ToolPorts, runId: string, signal: AbortSignal): Tools {
  const { village, agentId, arrival } = ports;
  const ask = async <T>(request: () => Promise<Answer<T>>): Promise<Definite<T>> => {
    const answer = await retry(request, signal, ports);
    signal.throwIfAborted();
    return answer;
  };

  async function see(request: () => Promise<Answer<WorldView>>): Promise<Seen> {
    const answer = await ask(request);
    if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
    const self = answer.value.agents.find(({ agent_id }) => agent_id === agentId);
    if (self === undefined) throw new RunFailure('not_in_the_world', 'The agent is not in the world');
    return { view: answer.value, self };
  }

  async function walk(body: MoveBody, key: string): Promise<WalkFailure | null> {
    arrival.clear();
    const answer = await ask(() => village.move(body, key));
    // An earlier process may have begun the same walk.
    if (answer.kind === 'refused' && answer.code !== 'idempotency_key_reused') return answer;
    for (let looks = 0; looks < WALK_LOOKS_MAX; looks += 1) {
      await arrival.wait(ARRIVAL_LOOK_MS, signal);
      if ((await see(() => village.around())).self.moving_to === null) return null;
    }
    return { code: 'too_long', detail: 'the walk took too long' };
  }

  return {
    village,
    key: (step, tries) => `run-${runId}-${step}-${tries}`,
    ask,
    around: (other) => see(() => village.around(other)),
    world: () => see(() => village.world()),
    walk,
    pause: async (ms) => {
      await ports.rest(ms);
      signal.throwIfAborted();
    },
  };
}

const failed = (text: string): ToolResult => ({ outcome: 'failed', text });
const done = (text: string): ToolResult => ({ outcome: 'done', text });

export async function goTo(tools: Tools, placeId: string, step: number): Promise<ToolResult> {
  for (let tries = 0; ; tries += 1) {
    const { view, self } = await tools.around();
    const name = nameOf(view, placeId);
    if (self.moving_to === null && self.landmark_id === placeId) return done(`I am at ${name}.`);
    if (tries === WALKS_MAX) return failed(`I could not get to ${name}: something took me elsewhere.`);
    const failure = await tools.walk({ landmark_id: placeId }, tools.key(step, tries));
    if (failure === null) continue;
    if (!TEMPORARY.has(failure.code) || tries === WALKS_MAX - 1)
      return failed(`I could not get to ${name}: ${failure.detail}.`);
    await tools.pause(FULL_PAUSE_MS);
  }
}

export async function goToTile(
  tools: Tools,
  to: { readonly x: number; readonly y: number },
  step: number,
): Promise<ToolResult> {
  for (let tries = 0; tries < WALKS_MAX; tries += 1) {
    const failure = await tools.walk(to, tools.key(step, tries));
    const { self } = await tools.around();
    if (failure === null) return done(`I am at x ${self.position.x}, y ${self.position.y}.`);
    if (!TEMPORARY.has(failure.code)) return failed(`I could not get there: ${failure.detail}.`);
    await tools.pause(FULL_PAUSE_MS);
  }
  return failed('I could not get there: the place stayed taken.');
}

/** Follows another agent until it is near enough to speak to, even where voices are quiet. */
export async function findAgent(tools: Tools, agentId: string, step: number): Promise<ToolResult> {
  let [why, name] = [KEPT_WALKING, agentId];
  for (let tries = 0; tries <= CHASES_MAX; tries += 1) {
    const { view, self } = await tools.around(agentId);
    const other = view.agents.find(({ agent_id }) => agent_id === agentId);
    if (other === undefined) return failed(`There is no ${agentId} in the village.`);
    if (other.power === 'Asleep') return failed(`${other.display_name} is asleep.`);
    if (self.moving_to === null && tilesBetween(self.position, other.position) <= QUIET_EARSHOT_TILES)
      return done(`I have found ${other.display_name}.`);
    name = other.display_name;
    if (tries === CHASES_MAX) break;
    why = await follow(tools, other, { step, tries });
  }
  return failed(`I could not catch up with ${name}: ${why}.`);
}

/** Walks once towards an agent; resolves with the reason why the agent may still be too far away. */
async function follow(
  tools: Tools,
  other: AgentView,
  { step, tries }: { readonly step: number; readonly tries: number },
): Promise<string> {
  const failure = await tools.walk(towards(other, tries), tools.key(step, tries));
  if (failure === null) return KEPT_WALKING;
  if (!TEMPORARY.has(failure.code)) return failure.detail;
  await tools.pause(FULL_PAUSE_MS);
  return 'there was no free place beside it';
}

/** Offsets around an agent. Its own tile is last, because no other agent may stand on it. */
const AROUND = [
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: 1 },
  { x: 0, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: -1 },
  { x: 0, y: 0 },
] as const;

function towards({ moving_to, landmark_id, position }: AgentView, tries: number): MoveBody {
  const place = moving_to?.landmark_id ?? landmark_id;
  if (place !== null && tries === 0) return { landmark_id: place };
  const target = moving_to ?? position;
  const beside = AROUND[tries % AROUND.length] ?? AROUND[0];
  return { x: Math.max(0, target.x + beside.x), y: Math.max(0, target.y + beside.y) };
}

/** Acts once. A refused idempotency key means that an earlier process acted, so the result is the same. */
export async function actOnce(
  tools: Tools,
  body: ActionBody,
  at: { readonly step: number; readonly words: string },
): Promise<ToolResult> {
  const answer = await tools.ask(() => tools.village.act(body, tools.key(at.step, 0)));
  if (answer.kind === 'ok' || answer.code === 'idempotency_key_reused') return done(at.words);
  return failed(`${at.words.replace(/\.$/, '')}, but the village refused it: ${answer.detail}.`);
}

export async function usePlace(tools: Tools, step: number): Promise<ToolResult> {
  const { view, self } = await tools.around();
  const place = view.landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  if (place === undefined) return failed('There is nothing to use where I am.');
  const body = actionAt(place);
  const name = placeInWords(place);
  const words = body.kind === 'use_board' ? `I have read ${name}.` : `I have made use of ${name}.`;
  return actOnce(tools, body, { step, words });
}

export async function lookAround(tools: Tools): Promise<ToolResult> {
  const { view, self } = await tools.around();
  return done(sightOf(view, self));
}
