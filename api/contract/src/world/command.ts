import { z } from 'zod';
import { SPEECH_MAX_LENGTH } from './constants.ts';
import { Emote } from './event.ts';
import { ItemId } from './map.ts';

const AgentName = z.string().min(1).max(63);
const STEP_LIMIT = 1024;

/** Body of `POST /agents/{id}/move`: a step, a tile, or a free slot of a landmark. */
export const MoveBody = z.union([
  z.strictObject({ dx: z.int().min(-STEP_LIMIT).max(STEP_LIMIT), dy: z.int().min(-STEP_LIMIT).max(STEP_LIMIT) }),
  z.strictObject({ x: z.int(), y: z.int() }),
  z.strictObject({ landmark_id: z.string().min(1).max(63) }),
]);
export type MoveBody = z.infer<typeof MoveBody>;

export const ACTION_KINDS = ['talk', 'pick_up', 'drop', 'use', 'use_board', 'emote'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** This limit only prevents abuse; the world itself refuses texts above SPEECH_MAX_LENGTH with a reason. */
const Text = z.string().max(SPEECH_MAX_LENGTH * 16);

/**
 * Body of `POST /agents/{id}/action`, a closed list. `to` of talk is one listener; without it, every agent in earshot
 * receives the words. `target` of use is an affordance of the landmark where the agent stands, the landmark's id (its
 * first affordance), or a carried item's id.
 */
export const ActionBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('talk'), text: Text, to: AgentName.optional() }),
  z.strictObject({ kind: z.literal('pick_up'), item_id: ItemId }),
  z.strictObject({ kind: z.literal('drop'), item_id: ItemId }),
  z.strictObject({ kind: z.literal('use'), target: z.string().min(1).max(63) }),
  z.strictObject({ kind: z.literal('use_board'), text: Text.optional() }),
  z.strictObject({ kind: z.literal('emote'), emote: Emote }),
]);
export type ActionBody = z.infer<typeof ActionBody>;

/** Commands of the village itself; `home` names a home landmark, otherwise one is assigned. A repeated command changes nothing. */
export type LifecycleCommand =
  | {
      kind: 'spawn';
      agent_id: string;
      display_name: string;
      home?: string;
      tier: number;
      awake: boolean;
      online: boolean;
    }
  | { kind: 'despawn'; agent_id: string }
  | {
      kind: 'state';
      agent_id: string;
      awake?: boolean;
      online?: boolean;
      tier?: number;
      display_name?: string;
      home?: string;
    };

/** A requested change to the world. Validation turns it into events, or refuses it with a reason. */
export type WorldCommand =
  | { kind: 'move'; agent_id: string; target: MoveBody }
  | (ActionBody & { agent_id: string })
  | LifecycleCommand;
