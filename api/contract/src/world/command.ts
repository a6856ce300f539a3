import { z } from 'zod';
import { SPEECH_MAX_LENGTH } from './constants.ts';
import { Emote } from './event.ts';
import { ItemId } from './map.ts';

const AgentName = z.string().min(1).max(63);
const STEP_LIMIT = 1024;

/** The target of a walk: a step, a tile, or a free slot of a landmark. */
export const MoveBody = z.union([
  z.strictObject({ dx: z.int().min(-STEP_LIMIT).max(STEP_LIMIT), dy: z.int().min(-STEP_LIMIT).max(STEP_LIMIT) }),
  z.strictObject({ x: z.int(), y: z.int() }),
  z.strictObject({ landmark_id: z.string().min(1).max(63) }),
]);
export type MoveBody = z.infer<typeof MoveBody>;

export const ACTION_KINDS = ['talk', 'pick_up', 'drop', 'use', 'use_board', 'emote'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** This limit only prevents abuse; the world itself refuses texts above SPEECH_MAX_LENGTH. */
const Text = z.string().max(SPEECH_MAX_LENGTH * 16);

/** A talk without `to` reaches every agent in earshot. `target`: a landmark's affordance or id, or a carried item. */
export const ActionBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('talk'), text: Text, to: AgentName.optional() }),
  z.strictObject({ kind: z.literal('pick_up'), item_id: ItemId }),
  z.strictObject({ kind: z.literal('drop'), item_id: ItemId }),
  z.strictObject({ kind: z.literal('use'), target: z.string().min(1).max(63) }),
  z.strictObject({ kind: z.literal('use_board'), text: Text.optional() }),
  z.strictObject({ kind: z.literal('emote'), emote: Emote }),
]);
export type ActionBody = z.infer<typeof ActionBody>;

/** If it names no home landmark, the world assigns one. A repeated command has no effect. */
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

/** A command, which validation turns into events or refuses with a reason. */
export type WorldCommand =
  | { kind: 'move'; agent_id: string; target: MoveBody }
  | (ActionBody & { agent_id: string })
  | LifecycleCommand;
