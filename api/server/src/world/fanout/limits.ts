/** Ticks between updates: 2 a second. */
export const UPDATE_EVERY_TICKS = 5;
export const CLUSTER_EVERY_TICKS = 10;
export const CLOCK_EVERY_TICKS = 20;
/** Speech waits this many milliseconds and leaves in one frame, well below the promised 50 ms. */
export const URGENT_AFTER_MS = 15;
/** Above the first limit a viewer gets no updates; below the second, keyframes of the cells that it missed. */
export const DROP_ABOVE_BYTES = 64 * 1024;
export const RESUME_BELOW_BYTES = 16 * 1024;
/** The fan-out disconnects a viewer above this limit, or one that has not drained for STALL_TICKS; it may resume. */
export const CLOSE_ABOVE_BYTES = 1024 * 1024;
export const STALL_TICKS = 100;
/** A near view of more cells than this is served as a far view. */
export const MAX_NEAR_CELLS = 1024;
/** Maximum number of views shown to one viewer between two updates: each view can cost a keyframe of every cell. */
export const VIEWS_PER_UPDATE = 10;
