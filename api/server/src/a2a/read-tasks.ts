import type { ListTasksRequest, Task, TaskState } from '@a2a-js/sdk';
import { A2A_PAGE_MAX, type Run, type RunState } from '@hamlet/contract';
import {
  readAnswersOfRuns,
  readArtifactsOfRuns,
  readPendingOfRuns,
  readTasks,
  type RunRow,
  type TaskFilter,
} from '@hamlet/store';
import { z } from 'zod';
import { artifactView } from '../artifacts/artifact-view.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { permissionView } from '../permissions/view/permission-view.ts';
import { findShownRun } from '../runs/audience/run-audience.ts';
import { runView } from '../runs/run-view.ts';
import type { A2aCall } from './a2a-call.ts';
import { STATES, taskOfRun } from './task-of-run.ts';

const FILES_MAX = 100;
const UNDER_WAY: ReadonlySet<RunState> = new Set<RunState>(['running', 'waiting_permission']);
const cursor = pageCursor(z.uuid());

export type TaskReader = Pick<A2aCall, 'db' | 'caller' | 'agentId' | 'origin'>;

type RunOfSession = RunRow & { readonly sessionId: string };

const isOfSession = (row: RunRow): row is RunOfSession => row.kind === 'message' && row.sessionId !== null;

/** Shows runs that the caller may read as tasks, with as many queries for a page as for one run. */
async function tasksOf(
  { db, origin }: Pick<A2aCall, 'db' | 'origin'>,
  rows: readonly RunOfSession[],
  withFiles: boolean,
): Promise<readonly Task[]> {
  const runIds = rows.map(({ runId }) => runId);
  const answers = await readAnswersOfRuns(db, runIds);
  const asking = rows.filter(({ state }) => UNDER_WAY.has(state)).map(({ runId }) => runId);
  const pending = await readPendingOfRuns(db, asking);
  const files = await readArtifactsOfRuns(db, withFiles ? runIds : [], FILES_MAX);
  return rows.map((row) => {
    const { runId, sessionId } = row;
    return taskOfRun({
      run: runView(row),
      sessionId,
      answer: answers.get(runId) ?? null,
      artifacts: (files.get(runId) ?? []).map(artifactView),
      pending: (pending.get(runId) ?? []).map((each) => permissionView(each, sessionId)),
      origin,
    });
  });
}

/** One task of the agent; unknown if the caller may not read the texts of its run. */
export async function readTask(reader: TaskReader, taskId: string): Promise<Outcome<Task>> {
  const { db, caller, agentId } = reader;
  if (!z.uuid().safeParse(taskId).success) return refused('no_such_run');
  const shown = await findShownRun(db, caller, taskId);
  if (!shown.ok) return shown;
  const { row, veiled } = shown.data;
  if (veiled || row.agentId !== agentId || !isOfSession(row)) return refused('no_such_run');
  const [task] = await tasksOf(reader, [row], true);
  return task === undefined ? refused('no_such_run') : accepted(task);
}

type Wanted = Pick<TaskFilter, 'states' | 'asking'>;

/** The runs that a state of the protocol stands for; null for a state that no run has. Pure. */
function runsIn(state: TaskState): Wanted | null {
  const only = (...states: Run['state'][]): Wanted => ({ states, asking: null });
  switch (state as number) {
    case 0:
      return { states: null, asking: null };
    case STATES.submitted:
      return only('queued');
    case STATES.working:
      return { states: ['running', 'waiting_permission'], asking: false };
    case STATES.inputRequired:
      return { states: ['running', 'waiting_permission'], asking: true };
    case STATES.completed:
      return only('done');
    case STATES.failed:
      return only('failed');
    case STATES.canceled:
      return only('cancelled');
    default:
      return null;
  }
}

interface TaskPage {
  readonly tasks: Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

function filterOf({ caller, agentId }: TaskReader, asked: ListTasksRequest): Outcome<TaskFilter | null> {
  const { contextId, status, statusTimestampAfter } = asked;
  if (contextId !== '' && !z.uuid().safeParse(contextId).success)
    return refused('validation_failed', 'contextId: send one that the agent gave, or leave it out');
  const after = statusTimestampAfter === undefined ? null : new Date(statusTimestampAfter);
  if (!z.iso.datetime({ offset: true }).optional().safeParse(statusTimestampAfter).success)
    return refused('validation_failed', 'statusTimestampAfter: send a time of RFC 3339');
  const wanted = runsIn(status);
  const sessionId = contextId === '' ? null : contextId;
  return accepted(wanted && { agentId, personId: caller.actor.id, sessionId, after, ...wanted });
}

/** A page of the tasks in sessions of the caller, newest first. */
export async function listTasks(reader: TaskReader, asked: ListTasksRequest): Promise<Outcome<TaskPage>> {
  const { pageSize = A2A_PAGE_MAX, pageToken, includeArtifacts = false } = asked;
  const limit = Number.isInteger(pageSize) ? Math.min(Math.max(pageSize, 1), A2A_PAGE_MAX) : A2A_PAGE_MAX;
  const filter = filterOf(reader, asked);
  if (!filter.ok) return filter;
  if (filter.data === null) return accepted({ tasks: [], nextPageToken: '', pageSize: limit, totalSize: 0 });
  const wanted = filter.data;
  const question = { ...wanted, list: 'tasks', cursor: pageToken === '' ? undefined : pageToken, limit };
  const page = await paged(cursor, question, (place) => readTasks(reader.db, wanted, place));
  if (!page.ok) return page;
  const { runs, total, next_cursor: next } = page.data;
  const shown = await tasksOf(reader, runs.filter(isOfSession), includeArtifacts);
  const tasks = includeArtifacts ? [...shown] : shown.map((task) => ({ ...task, artifacts: [] }));
  return accepted({ tasks, nextPageToken: next ?? '', pageSize: limit, totalSize: total });
}

/** A task with at most as many messages as the caller wants. Pure. */
export const withHistory = (task: Task, length: number | undefined): Task =>
  length !== undefined && length < 1 ? { ...task, history: [] } : task;
