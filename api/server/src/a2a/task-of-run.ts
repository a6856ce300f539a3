import type { Artifact as TaskArtifact, Message, Part, Role, StreamResponse, Task, TaskState } from '@a2a-js/sdk';
import type { Artifact, Permission, Run, RunDelta } from '@hamlet/contract';
import { shorten } from '@hamlet/core';

/** The protocol's states by number, because importing its enum would load the library. */
export const STATES = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
} as const satisfies Readonly<Record<string, TaskState>>;
const ROLES = { user: 1, agent: 2 } as const satisfies Readonly<Record<string, Role>>;

const ANSWER_ID = 'answer';
const ARGUMENTS_SHOWN_MAX_CHARS = 2_000;

/** The parts of a run that a task shows. The caller has checked that the reader may see it. */
export interface TaskFacts {
  readonly run: Run;
  readonly sessionId: string;
  /** The agent's answer; null before the end, and after an end without one. */
  readonly answer: string | null;
  readonly artifacts: readonly Artifact[];
  /** Requests of the run that no person has answered, oldest first. */
  readonly pending: readonly Permission[];
  /** Origin of the addresses of files. */
  readonly origin: string;
}

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

const dataPart = (value: unknown): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});

function messageOf(
  { run, sessionId }: Pick<TaskFacts, 'run' | 'sessionId'>,
  { messageId, role, parts }: Pick<Message, 'messageId' | 'role' | 'parts'>,
): Message {
  const refers = { contextId: sessionId, taskId: run.run_id };
  return { messageId, role, parts, ...refers, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

/** The state of a task. @param asking true if a request of the run waits for a person. Pure. */
export function stateOfRun(state: Run['state'], asking: boolean): TaskState {
  switch (state) {
    case 'done':
      return STATES.completed;
    case 'failed':
      return STATES.failed;
    case 'cancelled':
      return STATES.canceled;
    case 'queued':
      return STATES.submitted;
    case 'running':
    case 'waiting_permission':
      return asking ? STATES.inputRequired : STATES.working;
  }
}

const stateOf = ({ run, pending }: Pick<TaskFacts, 'run' | 'pending'>): TaskState =>
  stateOfRun(run.state, pending.length > 0);

const answersOf = ({ why }: Permission): readonly string[] =>
  why === 'unknown' ? ['happened', 'repeat', 'deny'] : ['allow', 'deny'];

function requestText(permission: Permission): string {
  const { permission_id: id, why, question, tool, reason } = permission;
  if (why === 'question' && question !== null) return question;
  const replies = answersOf(permission).map((word) => `"${word} ${id}"`);
  const shown = shorten(permission.arguments, ARGUMENTS_SHOWN_MAX_CHARS);
  return `The agent asks about a call of ${tool}. ${reason}\n${shown}\nReply with ${replies.join(' or ')}.`;
}

function requestParts(permission: Permission): readonly Part[] {
  const { permission_id, why, question, tool, reason, arguments: given, expires_at, allowed_by } = permission;
  const request = { permission_id, why, question, tool, reason, arguments: given, expires_at, allowed_by };
  return [textPart(requestText(permission)), dataPart({ ...request, answers: answersOf(permission) })];
}

/** The words about the state of a task: the requests of the agent, or the reason of a failure. */
function statusMessage(facts: TaskFacts): Message | undefined {
  const { run, pending } = facts;
  const by = (messageId: string, parts: readonly Part[]): Message =>
    messageOf(facts, { messageId, role: ROLES.agent, parts: [...parts] });
  const [first] = pending;
  if (stateOf(facts) === STATES.inputRequired && first !== undefined)
    return by(first.permission_id, pending.flatMap(requestParts));
  if (run.error === null) return undefined;
  return by(`${run.run_id}-end`, [textPart(`${run.error.code}: ${run.error.message}`)]);
}

function fileOf({ artifact_id, name, media_type, bytes, sha256 }: Artifact, origin: string): TaskArtifact {
  const value = `${origin}/api/v1/artifacts/${artifact_id}/content`;
  return {
    artifactId: artifact_id,
    name,
    description: '',
    parts: [{ content: { $case: 'url', value }, metadata: undefined, filename: name, mediaType: media_type }],
    metadata: { bytes, sha256 },
    extensions: [],
  };
}

const answerArtifact = (text: string): TaskArtifact => ({
  artifactId: ANSWER_ID,
  name: 'Answer',
  description: '',
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
});

function timeOf({ run, pending }: TaskFacts): string {
  return run.ended_at ?? pending.at(-1)?.asked_at ?? run.started_at ?? run.created_at;
}

export function taskOfRun(facts: TaskFacts): Task {
  const { run, sessionId, artifacts, origin } = facts;
  const answer = facts.answer ?? (run.state === 'done' ? run.summary : null);
  const prompt = messageOf(facts, { messageId: run.run_id, role: ROLES.user, parts: [textPart(run.prompt)] });
  return {
    id: run.run_id,
    contextId: sessionId,
    status: { state: stateOf(facts), message: statusMessage(facts), timestamp: timeOf(facts) },
    artifacts: [
      ...(answer === null || answer === '' ? [] : [answerArtifact(answer)]),
      ...artifacts.map((artifact) => fileOf(artifact, origin)),
    ],
    history: [prompt],
    metadata: undefined,
  };
}

const FINAL: ReadonlySet<TaskState | undefined> = new Set([STATES.completed, STATES.failed, STATES.canceled]);

export const isFinal = (state: TaskState | undefined): boolean => FINAL.has(state);
export const isOver = ({ status }: Pick<Task, 'status'>): boolean => isFinal(status?.state);

/** True if the agent waits for another actor, or has ended: streams of the task end, and blocking calls return. Pure. */
export const isResting = (task: Pick<Task, 'status'>): boolean =>
  isOver(task) || task.status?.state === STATES.inputRequired;

/** The events that lead from one view of a task to the next: new and changed artifacts, then its state. Pure. */
export function updatesBetween(before: Task, after: Task): readonly StreamResponse[] {
  const { id: taskId, contextId, status } = after;
  const known = new Map(before.artifacts.map((artifact) => [artifact.artifactId, JSON.stringify(artifact)]));
  const changed = after.artifacts.filter((artifact) => known.get(artifact.artifactId) !== JSON.stringify(artifact));
  const about = { taskId, contextId, metadata: undefined };
  return [
    ...changed.map((artifact): StreamResponse => ({
      payload: { $case: 'artifactUpdate', value: { ...about, artifact, append: false, lastChunk: true } },
    })),
    ...(JSON.stringify(before.status) === JSON.stringify(status)
      ? []
      : [{ payload: { $case: 'statusUpdate', value: { ...about, status } } } satisfies StreamResponse]),
  ];
}

/**
 * Words of an answer while the model writes them. The words of another request to the model replace the earlier ones,
 * and the stored answer replaces them all. Pure.
 */
export function wordsUpdate(
  { id: taskId, contextId }: Pick<Task, 'id' | 'contextId'>,
  { text }: RunDelta,
  append: boolean,
): StreamResponse {
  const value = {
    taskId,
    contextId,
    artifact: answerArtifact(text),
    append,
    lastChunk: false,
    metadata: undefined,
  };
  return { payload: { $case: 'artifactUpdate', value } };
}
