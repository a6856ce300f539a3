import { z } from 'zod';
import { RUN_PROMPT_MAX_CHARS } from './run/run.ts';
import { AgentId, plainText, Time } from './scalars.ts';

/** The same limit as for a prompt, because a message becomes the prompt of a run. */
export const MESSAGE_MAX_CHARS = RUN_PROMPT_MAX_CHARS;
export const SESSION_TITLE_MAX_CHARS = 120;
/** Maximum number of sessions, not counting ended ones. */
export const SESSIONS_OF_AGENT_MAX = 200;
export const SESSIONS_OF_PERSON_MAX = 20;
export const SESSION_PEOPLE_MAX = 16;
export const SESSION_WAITING_MAX = 16;
/** Maximum number of messages: questions, answers and lines of the village. */
export const SESSION_MESSAGES_MAX = 5_000;

/** `running`: the agent works on a message. `paused`: messages wait. `terminated`: the session can only be read. */
export const SessionState = z.enum(['running', 'idle', 'paused', 'terminated']);
export type SessionState = z.infer<typeof SessionState>;

export const SessionPerson = z.strictObject({ id: z.string(), name: z.string() });

export const SessionRepository = z.strictObject({
  url: plainText(2_048).regex(/^(https:\/\/|ssh:\/\/|git@)\S+$/, 'write the URL of a git repository'),
  branch: plainText(255).regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, "write a branch's name, for example main"),
});
export type SessionRepository = z.infer<typeof SessionRepository>;

export const ChatSession = z.strictObject({
  session_id: z.uuid(),
  agent_id: AgentId,
  title: z.string().describe('By default the first words of the first message'),
  repository: SessionRepository.nullable(),
  state: SessionState,
  people: z.array(SessionPerson).describe('Only these people and admins read the session'),
  created_by: z.strictObject({ role: z.string(), id: z.string() }),
  created_at: Time,
  last_at: Time.describe('Time of the newest message'),
  waiting: z.int().min(0).describe('Number of messages that wait for the agent'),
});
export type ChatSession = z.infer<typeof ChatSession>;

/** States of a message; the last three are final. Answers and lines of the village are `answered` from the start. */
export const MessageState = z.enum(['queued', 'working', 'answered', 'failed', 'cancelled']);
export type MessageState = z.infer<typeof MessageState>;

export const SessionMessage = z.strictObject({
  message_id: z.uuid(),
  session_id: z.uuid(),
  number: z.int().min(1).describe('Place in the session'),
  author: z.strictObject({
    role: z.enum(['member', 'admin', 'agent', 'system']),
    id: z.string(),
    name: z.string(),
  }),
  text: z.string().describe('Empty once deleted'),
  at: Time,
  forgotten_at: Time.nullable().default(null).describe('Time at which the village deleted the text'),
  run_id: z.uuid().nullable().describe('Run of the message; null after the API has deleted the run'),
  state: MessageState,
  in_reply_to: z.uuid().nullable().describe('Message that this one answers'),
  cost: z.string().nullable().describe('aiDollars that the answer cost; null for other messages'),
  steps: z.int().min(0).nullable().describe('Steps of the run of an answer or a report; null for other messages'),
  progress: z
    .boolean()
    .default(false)
    .describe(
      'True for a progress report of an unfinished run: it does not answer the message, and a newer version replaces it',
    ),
  version: z.int().min(1).default(1).describe('Grows with each replacement of a report; 1 for other messages'),
  revised_at: Time.nullable().default(null).describe('Time of the newest version of a report'),
});
export type SessionMessage = z.infer<typeof SessionMessage>;
