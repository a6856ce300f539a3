export { keyOf, NOTHING_KEPT, readKept } from './kept.ts';
export type { Kept } from './kept.ts';
export { folderSource, saveLog, SourceError, villageSource } from './log-source.ts';
export type { LogSource } from './log-source.ts';
export { gatherReference } from './reference.ts';
export { verifyLog } from './verify-log.ts';
export type { Reference, Verdict } from './verify-log.ts';
