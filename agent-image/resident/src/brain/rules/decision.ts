import type { Mind } from '../mind.ts';
import { keyOf } from '../situation.ts';
import type { Command, Decision, Situation } from '../situation.ts';

/** A decision of a rule; `change` is what the mind gains if the world accepts the command. */
export function decision(
  situation: Situation,
  parts: { command: Command; goal: string; why: string; change?: Partial<Mind> },
): Decision {
  const { command, goal, why, change = {} } = parts;
  return { command, key: keyOf(command), goal, why, after: { ...situation.mind, ...change, goal } };
}

export const STAY: Command = { kind: 'stay' };

/** To a landmark, or staying on the way that already leads there. */
export function goTo({ self }: Situation, landmarkId: string): Command {
  return self.moving_to?.landmark_id === landmarkId ? STAY : { kind: 'move', body: { landmark_id: landmarkId } };
}

/** A landmark's name, or its id where the map has none of that id. */
export function nameOf({ landmarks }: Situation, landmarkId: string): string {
  return landmarks.find(({ landmark_id }) => landmark_id === landmarkId)?.name ?? landmarkId;
}

/** Whether the agent stands at the landmark. */
export function isAt({ self }: Situation, landmarkId: string): boolean {
  return self.moving_to === null && self.landmark_id === landmarkId;
}

/** Ticks for which a refused command is not tried again. */
export const REFUSAL_PAUSE_TICKS = 600;

/** Whether the world refused this command a moment ago. */
export function isPaused({ mind, tick }: Situation, key: string): boolean {
  const refusedAt = mind.refused[key];
  return refusedAt !== undefined && tick - refusedAt < REFUSAL_PAUSE_TICKS;
}
