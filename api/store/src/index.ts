export * from './a2a/callbacks.ts';
export * from './a2a/contexts.ts';
export * from './a2a/tasks.ts';
export * from './agents/agent-books.ts';
export * from './agents/agent-remains.ts';
export * from './agents/agent-reports.ts';
export * from './agents/personality.ts';
export * from './agents/scripts.ts';
export * from './agents/agent-sessions.ts';
export * from './agents/forget-lives.ts';
export * from './agents/lives.ts';
export * from './agents/presence.ts';
export * from './agents/sample-agents.ts';
export * from './agents/turns.ts';
export * from './attention/away.ts';
export * from './attention/needs.ts';
export * from './attention/person-seen.ts';
export * from './attention/unread.ts';
export * from './board/author-record.ts';
export * from './board/events.ts';
export * from './board/flags.ts';
export * from './board/moderation-queue.ts';
export * from './board/moderation.ts';
export type { PostRow, ReplyRow } from './board/post-row.ts';
export * from './board/read-posts.ts';
export * from './board/viewer.ts';
export * from './board/write-post.ts';
export { cutPage } from './connection/result-rows.ts';
export type { Moment, Page } from './connection/result-rows.ts';
export {
  databaseNow,
  inOneTry,
  inSavepoint,
  inSnapshot,
  inTransaction,
  isConflict,
  isConnectionError,
  isDuplicateError,
  isOutage,
  isUnkeepableText,
  lockName,
  openDatabase,
  ping,
} from './connection/database.ts';
export type { DatabaseLimits, DatabaseOptions, Db, Tx } from './connection/database.ts';
export { DatabaseBusyError } from './connection/guarded-pool.ts';
export * from './channels/conversations.ts';
export * from './channels/identities.ts';
export * from './connection/listener.ts';
export * from './egress/attempts.ts';
export * from './egress/writes.ts';
export * from './keeping/archive-state.ts';
export * from './keeping/table-sizes.ts';
export * from './freeze/village-freeze.ts';
export * from './gateway/model-credentials.ts';
export * from './gateway/model-admission.ts';
export * from './gateway/model-health.ts';
export * from './gateway/model-requests.ts';
export * from './gateway/model-texts.ts';
export * from './journal/read-journal.ts';
export * from './journal/write-journal.ts';
export * from './ledger/accounts.ts';
export * from './ledger/balances.ts';
export * from './ledger/day-sums.ts';
export * from './ledger/entries.ts';
export * from './ledger/judge-agent.ts';
export * from './ledger/offers.ts';
export * from './ledger/post-batch.ts';
export * from './ledger/post-transfer.ts';
export * from './ledger/refusal.ts';
export type { Circumstance, LedgerActor, TransferRequest } from './ledger/transfer-request.ts';
export * from './ledger/upkeep.ts';
export * from './memory/agent-memory.ts';
export * from './memory/memory-commands.ts';
export * from './memory/memory-report.ts';
export type { MemoryReader } from './memory/memory-reader.ts';
export * from './memory/repository-memory.ts';
export * from './migration/migrate.ts';
export * from './nodes/shortages.ts';
export * from './payments/captures.ts';
export * from './payments/deliveries.ts';
export * from './payments/deposits.ts';
export * from './payments/differences.ts';
export * from './people/account-bans.ts';
export * from './people/account-keys.ts';
export * from './people/accounts.ts';
export * from './people/api-keys.ts';
export * from './people/one-time.ts';
export * from './people/sessions.ts';
export * from './permissions/allow-rules.ts';
export * from './permissions/artifacts.ts';
export * from './permissions/effects.ts';
export * from './permissions/hands-calls.ts';
export * from './permissions/judged-calls.ts';
export * from './permissions/permissions.ts';
export * from './permissions/read-permissions.ts';
export * from './runs/change-run.ts';
export * from './runs/fences.ts';
export * from './runs/firings.ts';
export * from './runs/history.ts';
export * from './runs/lock-order.ts';
export * from './runs/new-runs.ts';
export * from './runs/overdue.ts';
export * from './runs/parks.ts';
export * from './runs/read-runs.ts';
export { RUN_COLUMNS, UNDER_WAY } from './runs/run-row.ts';
export type { RunRow, TaintRow, TextReader } from './runs/run-row.ts';
export * from './runs/output/run-output.ts';
export * from './runs/run-files.ts';
export * from './runs/run-left.ts';
export * from './runs/run-skills.ts';
export * from './runs/taint.ts';
export * from './runs/workers.ts';
export * from './runs/workflow/flow-claims.ts';
export * from './runs/workflow/manifests.ts';
export * from './runs/workflow/stage-workers.ts';
export { findLogRecord, newestSealedEntry, readEntriesOfTile } from './sealed-log/leaves.ts';
export type { LogRecord, SealedEntry } from './sealed-log/leaves.ts';
export * from './sealed-log/seal.ts';
export * from './sealed-log/search-records.ts';
export { LogBroken, readLeafTiles, readLogEdge, readLogHead, readLogTiles } from './sealed-log/tiles.ts';
export type { LogHead } from './sealed-log/tiles.ts';
export * from './sessions/forget-sessions.ts';
export * from './sessions/idle-sleep.ts';
export * from './sessions/messages.ts';
export * from './sessions/read-sessions.ts';
export * from './sessions/session-events.ts';
export type { ChatSessionRow, MessageRow, Person } from './sessions/session-row.ts';
export * from './sessions/write-session.ts';
export * from './settings/village-settings.ts';
export * from './standing/measures.ts';
export * from './timeline/timeline-places.ts';
export * from './timeline/timeline-rows.ts';
export * from './tracing/run-traces.ts';
export * from './trade/active-purchases.ts';
export * from './trade/auctions.ts';
export * from './trade/bids.ts';
export * from './trade/boosts.ts';
export * from './trade/compute-claims.ts';
export * from './trade/purchases.ts';
export * from './world/append.ts';
export * from './world/history.ts';
export * from './world/lease.ts';
export * from './world/maps.ts';
export * from './writes/audit.ts';
export * from './writes/cluster-writes.ts';
export * from './writes/idempotency.ts';
export * from './writes/internal-events.ts';
export * from './writes/seen-resources.ts';
