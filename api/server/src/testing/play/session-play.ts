import {
  createSession,
  getSession,
  listMessages,
  openSessionStream,
  sendMessage,
  settleRun,
  type CallData,
  type ChatSession,
  type Client,
  type Outcome,
  type SessionMessage,
  type StreamEvent,
} from '@hamlet/contract';
import { dataOf } from '../play.ts';
import { RunPlay } from './run-play.ts';
import type { AgentId } from '../test-village.ts';

export type SessionEvent = StreamEvent<typeof openSessionStream>;
export type Sent = CallData<typeof sendMessage>;

/** Talks with agents, and answers as their residents. */
export class SessionPlay extends RunPlay {
  async open(client: Client, agentId: AgentId, people: readonly string[] = []): Promise<ChatSession> {
    const body = { people: [...people] };
    return dataOf(await client.call(createSession, { params: { agent_id: agentId }, body })).session;
  }

  say(client: Client, sessionId: string, text: string): Promise<Outcome<Sent>> {
    return client.call(sendMessage, { params: { session_id: sessionId }, body: { text } });
  }

  async session(client: Client, sessionId: string): Promise<ChatSession> {
    return dataOf(await client.call(getSession, { params: { session_id: sessionId } })).session;
  }

  /** The transcript, oldest first. */
  async transcript(client: Client, sessionId: string): Promise<readonly SessionMessage[]> {
    const page = dataOf(await client.call(listMessages, { params: { session_id: sessionId }, query: { limit: 100 } }));
    return page.messages.toReversed();
  }

  /** Settles a run that the agent has started as done, with an answer. */
  async answer(agentId: AgentId, runId: string, answer: string): Promise<Outcome<CallData<typeof settleRun>>> {
    const { attempt } = await this.get(runId);
    return this.settle(agentId, runId, { attempt, state: 'done', summary: 'Answered.', answer });
  }

  /** Starts the agent's next run and answers it. Returns the id of the run. */
  async answerNext(agentId: AgentId, answer: string): Promise<string> {
    const run = await this.next(agentId);
    if (run === null) throw new Error(`${agentId} has no run`);
    dataOf(await this.start(agentId, run.run_id));
    dataOf(await this.answer(agentId, run.run_id, answer));
    return run.run_id;
  }
}

/** A stream of a session with the events received so far. */
export function follow(
  client: Client,
  sessionId: string,
  after?: string,
): { readonly events: SessionEvent[]; readonly ended: Promise<void>; readonly stop: () => void } {
  const stopping = new AbortController();
  const events: SessionEvent[] = [];
  const query = after === undefined ? {} : { after };
  const ended = (async () => {
    const request = { params: { session_id: sessionId }, query, signal: stopping.signal };
    for await (const event of client.open(openSessionStream, request)) events.push(event);
  })();
  ended.catch(() => undefined);
  return { events, ended, stop: () => stopping.abort() };
}
