export { keyOf, NOTHING_KEPT, readKept, type Kept } from './kept.ts';
export { atItsCheckpoint, folderSource, saveLog, SourceError, villageSource, type LogSource } from './log-source.ts';
export { gatherReference } from './reference.ts';
export { verifyLog, type Reference, type Verdict } from './verify-log.ts';
