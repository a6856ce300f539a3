export { openMemory } from './open-memory.ts';
export { MemoryError, type MemoryErrorCode } from './memory-error.ts';
export { DEFAULT_PROFILE } from './ranking/profile.ts';
export { hashedEmbedder } from './embedding/hashed-embedder.ts';
export { httpEmbedder, type HttpEmbedderOptions } from './embedding/http-embedder.ts';
export type {
  Audience,
  Changes,
  Embedder,
  Evidence,
  Explanation,
  Fact,
  Hit,
  Layer,
  ListOptions,
  Maintained,
  Memory,
  MemoryOptions,
  MemoryStats,
  NewEvidence,
  NewFact,
  NewMemory,
  Page,
  Part,
  PartName,
  PinResult,
  Present,
  RankingProfile,
  RefusalReason,
  Remembered,
  RememberResult,
  SearchOptions,
  Taint,
  Tombstone,
} from './memory.ts';
export type {
  Counts,
  DocumentHit,
  Documents,
  Ingested,
  NewSource,
  SkipReason,
  Source,
  SourceFile,
} from './documents/documents.ts';
export type { ReadState, StateDocument, WrittenState } from './state/state-document.ts';
