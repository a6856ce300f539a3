import { QUIET_HEARING_TILES } from '@hamlet/contract/resident';
import type { ActionBody, AgentView, MoveBody, WorldView } from '@hamlet/contract';
import type { Deed } from '@hamlet/engine';
import { tilesBetween } from '../brain/distance.ts';
import { actionAt } from '../brain/rules/use-place.ts';
import { sightOf } from '../brain/wish/surroundings.ts';
import type { Hands, NoWay } from './hands.ts';

/** How often it sets out for a place that it does not reach, because somebody else moved it or took the last slot. */
const WALKS_MAX = 4;
/** How often it follows an agent that walks away. */
const CHASES_MAX = 8;
/** Between two tries for a place that is full. */
const FULL_PAUSE_MS = 3_000;
/** What may be otherwise in a moment. */
const PASSING: ReadonlySet<NoWay['code']> = new Set<NoWay['code']>(['no_free_slot', 'slot_taken', 'too_long']);
/** Near enough to be heard, also where voices are low. */
const TALKING_TILES = QUIET_HEARING_TILES;

const failed = (text: string): Deed => ({ outcome: 'failed', text });
const done = (text: string): Deed => ({ outcome: 'done', text });

function nameOf({ landmarks }: WorldView, placeId: string): string {
  return landmarks.find(({ landmark_id }) => landmark_id === placeId)?.name ?? placeId;
}

/** Walks to a slot of a place; being there already is enough. */
export async function goTo(hands: Hands, placeId: string, step: number): Promise<Deed> {
  for (let tries = 0; ; tries += 1) {
    const { view, self } = await hands.around();
    const name = nameOf(view, placeId);
    if (self.moving_to === null && self.landmark_id === placeId) return done(`I am at ${name}.`);
    if (tries === WALKS_MAX) return failed(`I could not get to ${name}: something took me elsewhere.`);
    const noWay = await hands.walk({ landmark_id: placeId }, hands.key(step, tries));
    if (noWay === null) continue;
    if (!PASSING.has(noWay.code) || tries === WALKS_MAX - 1)
      return failed(`I could not get to ${name}: ${noWay.detail}.`);
    await hands.pause(FULL_PAUSE_MS);
  }
}

const KEPT_WALKING = 'it kept walking away';

/** Walks after an agent until it is near enough to speak to it. */
export async function findAgent(hands: Hands, agentId: string, step: number): Promise<Deed> {
  let [why, name] = [KEPT_WALKING, agentId];
  for (let tries = 0; tries <= CHASES_MAX; tries += 1) {
    const { view, self } = await hands.around(agentId);
    const other = view.agents.find(({ agent_id }) => agent_id === agentId);
    if (other === undefined) return failed(`There is no ${agentId} in the village.`);
    if (other.power === 'Asleep') return failed(`${other.display_name} is asleep.`);
    if (self.moving_to === null && tilesBetween(self.position, other.position) <= TALKING_TILES)
      return done(`I have found ${other.display_name}.`);
    name = other.display_name;
    if (tries === CHASES_MAX) break;
    why = await follow(hands, other, { step, tries });
  }
  return failed(`I could not catch up with ${name}: ${why}.`);
}

/** One walk towards somebody; why that may not have been enough. */
async function follow(
  hands: Hands,
  other: AgentView,
  { step, tries }: { readonly step: number; readonly tries: number },
): Promise<string> {
  const noWay = await hands.walk(towards(other, tries), hands.key(step, tries));
  if (noWay === null) return KEPT_WALKING;
  if (!PASSING.has(noWay.code)) return noWay.detail;
  // The places beside it are free once those who stand there go on.
  await hands.pause(FULL_PAUSE_MS);
  return 'there was no free place beside it';
}

/** Tiles around somebody, nearest first: the tile itself may be theirs alone. */
const AROUND = [
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: 1 },
  { x: 0, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: -1 },
  { x: 0, y: 0 },
] as const;

/** To where an agent is or is going: a slot of its place at first, then a tile beside it. */
function towards({ moving_to, landmark_id, position }: AgentView, tries: number): MoveBody {
  const place = moving_to?.landmark_id ?? landmark_id;
  if (place !== null && tries === 0) return { landmark_id: place };
  const target = moving_to ?? position;
  const beside = AROUND[tries % AROUND.length] ?? AROUND[0];
  return { x: Math.max(0, target.x + beside.x), y: Math.max(0, target.y + beside.y) };
}

/** Acts once. A key that was used for other words means that these were said, in the words of that time. */
export async function actOnce(
  hands: Hands,
  body: ActionBody,
  at: { readonly step: number; readonly words: string },
): Promise<Deed> {
  const answer = await hands.told(() => hands.village.act(body, hands.key(at.step, 0)));
  if (answer.kind === 'ok' || answer.code === 'idempotency_key_reused') return done(at.words);
  return failed(`${at.words.replace(/\.$/, '')}, but that was refused: ${answer.detail}.`);
}

/** Does what one does at the place where it stands. */
export async function usePlace(hands: Hands, step: number): Promise<Deed> {
  const { view, self } = await hands.around();
  const place = view.landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  if (place === undefined) return failed('There is nothing to use where I am.');
  const body = actionAt(place);
  return actOnce(hands, body, {
    step,
    words: body.kind === 'use_board' ? `I have read the ${place.name}.` : `I have used what there is at ${place.name}.`,
  });
}

/** Says what there is to be seen. */
export async function lookAround(hands: Hands): Promise<Deed> {
  const { view, self } = await hands.around();
  return done(sightOf(view, self));
}
