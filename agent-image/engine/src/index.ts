export { doneWith, ProcessEnding, RunCancelled, RunFailure } from './agent-runtime.ts';
export type {
  AgentRuntime,
  EngineParts,
  RunInput,
  RuntimeConfig,
  RuntimeContext,
  RuntimeHost,
  RuntimeInput,
  RuntimeOutcome,
  RuntimeProgram,
  RunWork,
  SpeechInput,
  Surroundings,
  ToolResult,
} from './agent-runtime.ts';
export { createTurns } from './turns.ts';
export { firstChars } from './first-chars.ts';
export { createRuntime } from './runtimes/runtime-registry.ts';
export type { CreatedRuntime, RuntimeRegistry, UnknownRuntime } from './runtimes/runtime-registry.ts';
export { createCommandRuntime } from './runtimes/command-runtime.ts';
export { openOneCall } from './runtimes/one-call.ts';
export type { CallInput, OneCall, OneCallParts, ProgramRun } from './runtimes/one-call.ts';
export type { Program, ProgramEnd, ProgramPort, Printed } from './runtimes/program-port.ts';
export { ProgramError } from './runtimes/program-port.ts';
export { ArgumentLines, filled, programSettings, TimeoutSeconds, VariableLines } from './runtimes/program-settings.ts';
export { createEngineRuntime, workOnRun } from './runtimes/engine-runtime.ts';
export { createStubRuntime } from './runtimes/stub-runtime.ts';

export { createEngine } from './loop/engine.ts';
export type { Begun, Engine, EngineRefusal, GivenAnswer, ResumeOptions, RunRequest } from './loop/engine.ts';
export type { PersonsWords } from './loop/persons-words.ts';
export type { EngineLimits, EnginePorts, Notice, OfferPort } from './loop/kit.ts';
export { modelCompaction } from './loop/compaction.ts';
export type { RunOutcome } from './loop/advance.ts';
export type {
  ApprovalPort,
  ClockPort,
  CompactionPort,
  IdPort,
  KeptSummary,
  MemoryPort,
  Message,
  ModelDelta,
  ModelEnd,
  ModelPort,
  ModelRequest,
  PolicyPort,
  ProposedCall,
  Question,
  ReasoningItem,
} from './loop/ports.ts';
export { SYSTEM_CLOCK } from './loop/system-clock.ts';
export { systemPrompt } from './context/system-prompt.ts';
export type { PromptParts, SystemPrompt } from './context/system-prompt.ts';
export type { OutputForm } from './effects/read-output.ts';
export type { ArgumentAliases } from './effects/argument-aliases.ts';
export { argumentNames } from './effects/argument-names.ts';
export { isJsonObject } from './json/canonical-json.ts';
export { defineTool } from './effects/tool.ts';
export type {
  CallContext,
  NeedsPermission,
  Postponed,
  ProgramNote,
  Tool,
  ToolDefinition,
  Verified,
} from './effects/tool.ts';
export { withoutMiddle } from './effects/tool-outcome.ts';
export type { OutcomeImage, ToolOutcome } from './effects/tool-outcome.ts';
export type { Answer, Budgets, Effect, JournalEvent } from './journal/event.ts';
export { JournalError } from './journal/journal.ts';
export type { Journal, JournalEntry, JournalErrorCode, Payload } from './journal/journal.ts';
export { openSqliteJournal } from './journal/sqlite-journal.ts';
export { payloadsOf, SALT_REF } from './journal/mirror-payloads.ts';
export { catchUpSqliteJournal, restoreSqliteJournal } from './journal/restore-journal.ts';
export type { MirrorPage } from './journal/restore-journal.ts';
