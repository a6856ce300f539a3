import type { CallData, ChatSession, Outcome, SessionMessage, StreamEvent } from '@hamlet/contract';
import { openSessionStream, sendMessage, settleRun } from '@hamlet/contract';
import { dataOf, follow, type TestClient, type Followed } from '@hamlet/test/env/client';
import { RunPlay } from './run-play.ts';
import type { AgentId } from '../test-village.ts';

export type SessionEvent = StreamEvent<typeof openSessionStream>;
export type Sent = CallData<typeof sendMessage>;

/** Talks with agents, and answers as their residents. */
export class SessionPlay extends RunPlay {
  async open(client: TestClient, agentId: AgentId, people: readonly string[] = []): Promise<ChatSession> {
    return (await client.createSession({ agent_id: agentId, people: [...people] })).session;
  }

  say(client: TestClient, sessionId: string, text: string): Promise<Outcome<Sent>> {
    return client.raw.sendMessage({ session_id: sessionId, text });
  }

  async session(client: TestClient, sessionId: string): Promise<ChatSession> {
    return (await client.getSession({ session_id: sessionId })).session;
  }

  /** The transcript, oldest first. */
  async transcript(client: TestClient, sessionId: string): Promise<readonly SessionMessage[]> {
    return (await client.listMessages({ session_id: sessionId, limit: 100 })).messages.toReversed();
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
export const followSession = (client: TestClient, sessionId: string, after?: string): Followed<SessionEvent> =>
  follow((signal) =>
    client.openSessionStream({ session_id: sessionId, ...(after === undefined ? {} : { after }) }, { signal }),
  );
