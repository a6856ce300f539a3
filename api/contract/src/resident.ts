/** Exports only the resident's part of the contract: loaded schemas take memory in the process of each agent. */
export { createClient, ProblemError } from './client/create-client.ts';
export { getAgent } from './routes/agents.ts';
export { createPost, getPost, listBoardNews, listPosts, replyToPost, resolvePost } from './routes/board/posts.ts';
export { readSkillFiles, reportCapabilities } from './routes/capabilities.ts';
export { getLedger } from './routes/economy.ts';
export { completeChat, listModels } from './routes/models.ts';
export { askPermission, performCall } from './routes/permissions.ts';
export { exchangeAgentToken, getAgentConfig, getPaidTime, openWakes, recordTurn } from './routes/resident.ts';
export { publishRunWords, readJournal, RUN_WORDS_MAX_CHARS, storeRunJournal } from './routes/runs/journal.ts';
export { keepArtifact } from './routes/runs/artifacts.ts';
export { readRunFile } from './routes/runs/run-files.ts';
export { getScript, listScripts } from './script/script.ts';
export { SCRIPT_MEDIA_TYPE, SharedScript } from './script/script.ts';
export { SCRIPT_SECONDS_MAX, type RunScriptInput } from './tools/script-tools.ts';
export { ARTIFACT_MAX_BYTES, ARTIFACT_NAME_MAX_CHARS, ArtifactName, TABLE_MEDIA_TYPE } from './values/artifact.ts';
export { OPENED_PAGES_MAX, OPENED_TITLE_MAX_CHARS, OPENED_URL_MAX_CHARS, OpenedPage } from './values/artifact.ts';
export { beginCall, endCall, noteMemories } from './routes/runs/hands-calls.ts';
export * from './values/acp-preset.ts';
export { storableText } from './values/storable-text.ts';
export { wellFormed } from './values/well-formed.ts';
export { isEgressRefusal, placeholderOf } from './values/egress.ts';
export { EGRESS_ANSWER_S } from './values/permission.ts';
export * from './tools/program-claim.ts';
export { RUN_OF_REQUEST_HEADER } from './values/run/program-run.ts';
export { CALL_LOG_TEXT_MAX_CHARS, REFUSAL_MAX_CHARS, REFUSALS_MAX } from './routes/runs/hands-calls.ts';
export { nextRun, parkRun, recordRunStep, renewRun, settleRun, startRun, waitRun } from './routes/runs/runs.ts';
export { getSession } from './routes/sessions.ts';
export { syncAgentMemory } from './routes/runs/agent-memory.ts';
export {
  CORRECTION_PREFIX,
  MEMORY_WORDS_MAX_CHARS,
  MemoryChangeRefusal,
  MemoryId,
  SYNC_BODY_MAX_BYTES,
  SYNCED_MEMORIES_MAX,
  SyncedMemory,
} from './memory/agent-memory.ts';
export { MEMORY_AUDIENCE_MAX } from './memory/memory-audience.ts';
export { useRepositoryMemory } from './routes/runs/repository-memory.ts';
export { loadSkill, pinSkills } from './routes/runs/runs.ts';
export {
  ENTRY_NAME_MAX_CHARS,
  MEMORY_CHANGES_MAX,
  NOTE_TYPE,
  OBSERVATION_MAX_CHARS,
  OBSERVATIONS_MAX,
} from './memory/memory-entry.ts';
export { listWorkers } from './routes/runs/runs.ts';
export { listSchedules } from './routes/runs/schedules.ts';
export { listAuctions, placeBid } from './routes/trade/auctions.ts';
export { buyCompute } from './routes/trade/purchases.ts';
export { getQuote } from './routes/trade/quote.ts';
export { actAsAgent, getWorld, moveAgent } from './routes/world.ts';
export { CAPABILITY_NAME_MAX_CHARS, CAPABILITY_TEXT_MAX_CHARS, CAPABILITIES_MAX } from './capability/capability.ts';
export * from './capability/skill.ts';
export { formatAiDollars, parseAiDollars } from './values/money.ts';
export {
  FREE_RUN_MONEY,
  RUN_ANSWER_MAX_CHARS,
  RUN_COUNT_MAX,
  RUN_REASON_MAX_CHARS,
  RUN_PARK_MAX_MS,
  RUN_PROMPT_MAX_CHARS,
  RUN_RENEW_EVERY_S,
  RUN_STEPS_MAX,
  RUN_SUMMARY_MAX_CHARS,
  WORKER_TOKENS_MIN,
  WORKER_WIDTH_MAX,
} from './values/run/run.ts';
export { GIT_SECONDS_MAX, type GitAction, type GitInput } from './tools/git-tool.ts';
export { INSTALL_SECONDS_MAX, type InstallInput, type PackageManager } from './tools/install-tool.ts';
export { BACKGROUND_SECONDS_MAX, SHELL_SECONDS_MAX, WAIT_SECONDS_MAX, type WaitForInput } from './tools/hands-tools.ts';
export { COMMAND_MAX_CHARS, type HandsToolName } from './tools/hands-tools.ts';
export { HTTP_SECONDS_MAX, NET_TOOLS } from './tools/net-tools.ts';
export { HANDS_TOOLS, isVillageTool, VILLAGE_TOOL_NAMES, VILLAGE_TOOLS, villageTool } from './tools/village-tools.ts';
export type { TodoItems } from './tools/village-tools.ts';
export * from './world/constants.ts';
