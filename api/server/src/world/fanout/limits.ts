/** Ticks between updates: 2 a second, 5 while a person walks. */
export const UPDATE_EVERY_TICKS = 5;
export const HOT_UPDATE_EVERY_TICKS = 2;
/** Ticks between counts for the far zoom. */
export const CLUSTER_EVERY_TICKS = 10;
/** Ticks between clock updates for a viewer without other news. */
export const CLOCK_EVERY_TICKS = 20;
/** Speech leaves together after this many milliseconds: well below the 50 that are promised. */
export const URGENT_AFTER_MS = 15;
/** Above this many queued bytes a viewer gets no updates; below the lower mark it gets keyframes of what it missed. */
export const DROP_ABOVE_BYTES = 64 * 1024;
export const RESUME_BELOW_BYTES = 16 * 1024;
/** Above this, or when it has not drained for so long, a viewer is closed with a token to resume by. */
export const CLOSE_ABOVE_BYTES = 1024 * 1024;
export const STALL_TICKS = 100;
/** A nearer zoom over more cells than this is served as the far one. */
export const MAX_NEAR_CELLS = 1024;
/** Views that one viewer is shown between two updates without waiting: a view can cost a keyframe of every cell. */
export const VIEWS_PER_UPDATE = 10;
