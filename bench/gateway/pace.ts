/** The pace of the model server. */
export const FIRST_TOKEN_MS = 200;
export const TOKEN_EVERY_MS = 25;
export const TOKENS = 40;

/** Milliseconds on a clock that all processes of this machine share. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
