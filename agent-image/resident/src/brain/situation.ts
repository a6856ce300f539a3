import type { ActionBody, AgentView, Landmark, MoveBody, PurchaseItem, Wake, ItemView } from '@hamlet/contract';
import type { BoardSight } from './board/board-sight.ts';
import type { Occasion } from './board/words.ts';
import type { Mind } from './mind.ts';
import type { TradeSight } from './trade/trade-sight.ts';
import { itemInWords } from './trade/wants.ts';

/** Who decides: what stays the same from turn to turn. */
export interface Character {
  readonly agentId: string;
  readonly seed: number;
  /** Identity, personality and instructions, joined. */
  readonly persona: string;
  /** Landmark to sleep at. */
  readonly home: string;
  readonly tier: string | null;
}

/** An item that lies on the ground. */
export type LyingItem = ItemView & { readonly position: NonNullable<ItemView['position']> };

/** A wake says what happened in named words and numbers; this reads a word, or undefined where the kind has none of that name. */
export function wordOf(wake: Wake, name: string): string | undefined {
  const value = wake.detail[name];
  return typeof value === 'string' ? value : undefined;
}

/** The village as one agent sees it at one tick: everything a decision may rest on. */
export interface Situation {
  readonly tick: number;
  readonly day: number;
  /** Of the village day, 0 to 1439. */
  readonly minute: number;
  readonly phase: 'night' | 'morning' | 'day' | 'evening';
  readonly self: AgentView;
  /** Agents in sight that are awake, nearest first. */
  readonly neighbours: readonly AgentView[];
  /** Ids of all agents of the village, near or far: who is none of them is a person. */
  readonly agentIds: ReadonlySet<string>;
  /** Items on the ground, nearest first. */
  readonly items: readonly LyingItem[];
  readonly landmarks: readonly Landmark[];
  /** What woke the agent, or null for a turn of its own pace. */
  readonly wake: Wake | null;
  readonly character: Character;
  readonly mind: Mind;
  /** What it knows of the board in this turn; null where it did not look. */
  readonly board: BoardSight | null;
  /** What it would buy and bid; null where it did not look. */
  readonly trade: TradeSight | null;
  /** The run that it works on, in words; null while it lives by its own day. */
  readonly work: string | null;
}

/**
 * What to do. `answer` is given to the runtime, and its words are spoken. `reply` and `post` are written on the board, with a model if there is one:
 * `to` is the news or entry that is answered, `subject` tells posts apart, and `resolves` says that the post has its answer.
 */
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

/** One turn's decision. `after` is the mind if the world accepts the command; `key` names the command for refusals. */
export interface Decision {
  readonly command: Command;
  readonly key: string;
  readonly goal: string;
  readonly why: string;
  readonly after: Mind;
}

/** A rule of the brain: a decision, or null where it has nothing to say. */
export type Rule = (situation: Situation) => Decision | null;

/** What the world would know a command by: the same key is not tried again soon after a refusal. */
export function keyOf(command: Command): string {
  switch (command.kind) {
    case 'stay':
      return 'stay';
    case 'move':
      return 'landmark_id' in command.body
        ? `move:${command.body.landmark_id}`
        : `move:${Object.values(command.body).join(',')}`;
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
