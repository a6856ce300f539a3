import type { FrameMessage } from '@hamlet/contract';

export const FRAME_VERSION = 1;
/** Second byte: updates come in order; an urgent frame may overtake them. */
export const FRAME_UPDATE = 1;
export const FRAME_URGENT = 2;

/** The low four bits of a message's first byte are the index of its kind. The kind defines the high four. */
export const MESSAGE_KINDS = [
  'clock',
  'hello',
  'view',
  'agent',
  'keyframe',
  'spawn',
  'despawn',
  'path',
  'state',
  'speech',
  'item',
  'cluster',
  'turn',
] as const satisfies readonly FrameMessage['kind'][];

export const ZOOMS = ['near', 'mid', 'far'] as const;

export const IS_AWAKE = 1;
export const IS_ONLINE = 2;
export const HAS_ACTIVITY = 4;
export const HAS_EMOTE = 8;
export const HAS_SPEECH = 16;
export const HAS_INVENTORY = 32;
export const HAS_BEFORE = 64;

/** The state of an item, in the high bits of an `item` message or in a byte before an item of a keyframe. */
export const ITEM_GONE = 0;
export const ITEM_LIES = 1;
export const ITEM_HELD = 2;
