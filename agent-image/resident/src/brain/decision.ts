import type { ActionBody, MoveBody, PurchaseItem } from '@hamlet/contract';
import type { Mind } from './mind.ts';
import type { Situation } from './situation.ts';
import { itemInWords, placeInWords } from './words.ts';

/** The agent does not repeat a refused command for this many ticks. */
export const REFUSAL_PAUSE_TICKS = 600;

/** The content of a post or a reply: a prompt for a model, a sentence for an agent without a model, and facts. */
export interface Occasion {
  readonly prompt: string;
  readonly fallback: string;
  /** Facts that follow verbatim, even after a model's sentence; may be empty. */
  readonly facts: string;
  readonly written?: string;
}

export type Command =
  | { readonly kind: 'stay' }
  | { readonly kind: 'move'; readonly body: MoveBody }
  | { readonly kind: 'act'; readonly body: ActionBody }
  | {
      readonly kind: 'reply';
      readonly postId: string;
      readonly to: string;
      readonly occasion: Occasion;
      readonly resolves: boolean;
    }
  | {
      readonly kind: 'post';
      readonly subject: string;
      readonly audience: 'public' | 'humans';
      readonly title: string;
      readonly tags: readonly string[];
      readonly occasion: Occasion;
    }
  | { readonly kind: 'buy'; readonly item: PurchaseItem; readonly seconds: number; readonly maxPrice: string }
  | { readonly kind: 'bid'; readonly auctionId: string; readonly amount: string }
  | {
      readonly kind: 'answer';
      readonly prompt: string;
      readonly speaker: string;
      readonly to: string | null;
      readonly wakeSeq: number;
    };

export interface Decision {
  readonly command: Command;
  readonly key: string;
  readonly goal: string;
  readonly why: string;
  readonly after: Mind;
}

export type Rule = (situation: Situation) => Decision | null;

export function decision(
  { mind }: Situation,
  { change = {}, ...parts }: { command: Command; goal: string; why: string; change?: Partial<Mind> },
): Decision {
  return { ...parts, key: keyOf(parts.command), after: { ...mind, ...change, goal: parts.goal } };
}

export const STAY: Command = { kind: 'stay' };

export function goTo({ self }: Situation, landmarkId: string): Command {
  return self.moving_to?.landmark_id === landmarkId ? STAY : { kind: 'move', body: { landmark_id: landmarkId } };
}

export function nameOf({ landmarks }: Pick<Situation, 'landmarks'>, landmarkId: string): string {
  const place = landmarks.find(({ landmark_id }) => landmark_id === landmarkId);
  return place === undefined ? landmarkId : placeInWords(place);
}

export function isAt({ self }: Situation, landmarkId: string): boolean {
  return self.moving_to === null && self.landmark_id === landmarkId;
}

/** True if the village has recently refused the command with this key. */
export function isPaused({ mind, tick }: Situation, key: string): boolean {
  const refusedAt = mind.refused[key];
  return refusedAt !== undefined && tick - refusedAt < REFUSAL_PAUSE_TICKS;
}

export function keyOf(command: Command): string {
  switch (command.kind) {
    case 'stay':
      return 'stay';
    case 'move':
      return `move:${Object.values(command.body).join(',')}`;
    case 'act':
      return `${command.body.kind}:${objectOf(command.body)}`;
    case 'answer':
      return `answer:${command.wakeSeq}`;
    case 'reply':
      return `reply:${command.to}`;
    case 'post':
      return `post:${command.subject}`;
    case 'buy':
      return `buy:${itemInWords(command.item)}`;
    case 'bid':
      return `bid:${command.auctionId}`;
  }
}

function objectOf(body: ActionBody): string {
  switch (body.kind) {
    case 'talk':
      return body.to ?? '';
    case 'pick_up':
    case 'drop':
      return body.item_id;
    case 'use':
      return body.target;
    case 'use_board':
      return '';
    case 'emote':
      return body.emote;
  }
}
