import { z } from 'zod';
import { BARS, defineRoute, json } from '../http/route.ts';
import { GIVEN_FILES_BODY_MAX_BYTES, GIVEN_FILES_MAX, GivenFile } from '../values/given-file.ts';
import { Permission } from '../values/permission.ts';
import { RunDelta, RunEvent } from '../values/run/run-event.ts';
import { Run, SafeMode } from '../values/run/run.ts';
import { NEXT_CURSOR, paging, plainText } from '../values/scalars.ts';
import {
  ChatSession,
  MESSAGE_MAX_CHARS,
  SESSION_PEOPLE_MAX,
  SESSION_TITLE_MAX_CHARS,
  SessionMessage,
  SessionRepository,
} from '../values/session.ts';

const SessionAnswer = json(z.strictObject({ session: ChatSession }));
const reading = { tag: 'sessions', permission: 'sessions:read' } as const;
const writing = { tag: 'sessions', permission: 'sessions:write' } as const;
const PersonName = plainText(64).trim().min(1).describe('Name of an account');
const Cursor = z.string().max(256);

export const createSession = defineRoute('createSession POST /agents/{agent_id}/sessions', {
  ...writing,
  summary: 'Open a conversation with an agent; only its people and admins read it',
  body: z.strictObject({
    title: plainText(SESSION_TITLE_MAX_CHARS).trim().min(1).optional(),
    repository: SessionRepository.optional(),
    people: z
      .array(PersonName)
      .max(SESSION_PEOPLE_MAX - 1)
      .default([])
      .describe('Further people besides the caller'),
  }),
  status: 201,
  answer: SessionAnswer,
  reasons: ['no_such_agent', 'too_many_sessions', 'no_such_person', 'repository_not_allowed'],
});

export const listAgentSessions = defineRoute('listAgentSessions GET /agents/{agent_id}/sessions', {
  ...reading,
  summary: "The caller's sessions with an agent, newest first; the agent and, on request, admins get all sessions",
  query: z.strictObject({
    whose: z.enum(['mine', 'all']).default('mine').describe('Only an admin reads all, and the audit records it'),
    ...paging(),
  }),
  answer: json(z.strictObject({ sessions: z.array(ChatSession), ...NEXT_CURSOR })),
  reasons: ['no_such_agent', 'not_own_agent', 'cursor_invalid'],
});

export const getSession = defineRoute('getSession GET /sessions/{session_id}', {
  ...reading,
  summary: 'One session',
  answer: SessionAnswer,
  reasons: ['no_such_session'],
});

export const endSession = defineRoute('endSession DELETE /sessions/{session_id}', {
  ...writing,
  summary:
    'End a session: cancels its open messages; people can read the transcript until the village deletes it after 30 days',
  answer: SessionAnswer,
  reasons: ['no_such_session'],
});

export const sendMessage = defineRoute('sendMessage POST /sessions/{session_id}/messages', {
  ...writing,
  summary:
    'Write to the agent: the message answers its open question, or becomes a run; messages of a session are answered in order. A message never answers a request for a permission',
  body: z.strictObject({
    text: plainText(MESSAGE_MAX_CHARS)
      .trim()
      .min(1)
      .meta({ example: 'Find out what Bob wants, and post it on the board.' }),
    safe_mode: SafeMode.optional(),
    files: z
      .array(GivenFile)
      .max(GIVEN_FILES_MAX)
      .optional()
      .describe('Files for the workspace of the agent, which the message then lists; at most 512 KiB each'),
  }),
  bodyMaxBytes: GIVEN_FILES_BODY_MAX_BYTES,
  status: 201,
  answer: json(
    z.strictObject({
      message: SessionMessage,
      run: Run,
      wake: z
        .enum(['awake', 'waking', 'suspended', 'never'])
        .describe(
          'waking: the village awakens the agent. suspended, never: the message waits until a person awakens it',
        ),
      answers: z
        .uuid()
        .nullable()
        .default(null)
        .describe('Question of the agent that the message answered instead of becoming a run; `run` is then its run'),
    }),
  ),
  reasons: [
    'no_such_session',
    'no_such_agent',
    'repository_not_allowed',
    'session_terminated',
    'session_queue_full',
    'session_full',
    'run_queue_full',
    'village_frozen',
    ...BARS,
  ],
});

export const listMessages = defineRoute('listMessages GET /sessions/{session_id}/messages', {
  ...reading,
  summary: 'The transcript of a session, newest first, and the cursor at which its stream continues',
  query: z.strictObject(paging({ limit: 50 })),
  answer: json(
    z.strictObject({
      messages: z.array(SessionMessage),
      ...NEXT_CURSOR,
      stream_cursor: z.string().describe('`after` for a stream that continues this answer'),
    }),
  ),
  reasons: ['no_such_session', 'cursor_invalid'],
});

export const pauseSession = defineRoute('pauseSession POST /sessions/{session_id}/pause', {
  ...writing,
  summary: 'Pause the queue of a session: the agent finishes its present message and begins no other',
  answer: SessionAnswer,
  reasons: ['no_such_session', 'session_terminated'],
});

export const resumeSession = defineRoute('resumeSession POST /sessions/{session_id}/resume', {
  ...writing,
  summary: 'Let the agent continue with the queue of a session',
  answer: SessionAnswer,
  reasons: ['no_such_session', 'session_terminated'],
});

export const addSessionPerson = defineRoute('addSessionPerson POST /sessions/{session_id}/people', {
  ...writing,
  summary: 'Invite a person into a session; they read all of it',
  body: z.strictObject({ name: PersonName }),
  answer: SessionAnswer,
  reasons: ['no_such_session', 'session_terminated', 'no_such_person', 'repository_not_allowed', 'too_many_people'],
});

export const removeSessionPerson = defineRoute('removeSessionPerson DELETE /sessions/{session_id}/people/{person_id}', {
  ...writing,
  summary:
    'Remove a person from a session, which they then cannot read; people may remove themselves, its creator and admins anyone',
  params: z.strictObject({
    session_id: z.uuid(),
    person_id: plainText(300).min(1).describe('Id of a person of the session'),
  }),
  answer: SessionAnswer,
  reasons: ['no_such_session', 'no_such_person', 'not_session_creator', 'last_person'],
});

export const openSessionStream = defineRoute('openSessionStream GET /sessions/{session_id}/stream', {
  ...reading,
  summary: 'Messages, changes and run events of a session as they happen; resumable by the event id',
  query: z.strictObject({ after: Cursor.optional().describe('Id of the last event received, or a stream_cursor') }),
  answer: {
    kind: 'sse',
    events: {
      // Sent first if the stream cannot resume: the reader discards its state, and the present state follows.
      reset: z.strictObject({}),
      session: ChatSession,
      message: SessionMessage,
      run_event: RunEvent,
      // The run of a message as it is now, after its events. It has no id.
      run: Run,
      permission: Permission,
      // Parts of an unfinished answer. They may be lost, and have no id.
      delta: RunDelta,
    },
  },
  reasons: ['no_such_session'],
});
