import { fireSchedule, recordRunStep, settleRun } from '@hamlet/contract';
import type { CallData, CallInput, FiringBody, Outcome, Permission, Run, RunEvent } from '@hamlet/contract';
import { testClient, type TestClient, dataOf } from '@hamlet/test/env/client';
import { eventually, TOKENS, type AgentId, Play } from '../test-village.ts';

/** A client that sends the fence header of the present leader. */
export function leaderOf(url: string, fence: string): TestClient {
  const fenced: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('hamlet-fence', fence);
    return fetch(input, { ...init, headers });
  };
  return testClient({ baseUrl: url, token: TOKENS.operator, fetch: fenced });
}

/** The body of the operator's request for a firing. */
export function firingBody(changes: Partial<FiringBody> & Pick<FiringBody, 'schedule_uid'>): FiringBody {
  return {
    schedule: `schedule-${changes.schedule_uid}`,
    slot: '2026-01-01T00:00:00.000Z',
    agents: ['ada'],
    prompt: 'Look around.',
    overlap: 'Forbid',
    history_limit: 10,
    made_up: false,
    ...changes,
  };
}

export type FireAnswer = Outcome<CallData<typeof fireSchedule>>;

/** Acts and reads for tests of runs. */
export class RunPlay {
  readonly play: Play;
  #claimed = 0;
  constructor(url: string) {
    this.play = new Play(url);
  }

  async give(agentId: AgentId, prompt = 'Look around.'): Promise<Run> {
    return (await this.play.admin.createRun({ agent_id: agentId, prompt })).run;
  }

  async started(agentId: AgentId): Promise<string> {
    const { run_id } = await this.give(agentId);
    dataOf(await this.start(agentId, run_id));
    return run_id;
  }

  /** Stores entries of a run in the journal of its agent; people see an event for each. */
  async claim(runId: string, count: number, agent: TestClient = this.play.as('ada')): Promise<void> {
    const entries = Array.from({ length: count }, () => ({
      seq: (this.#claimed += 1),
      event: { v: 1, type: 'interrupted', run: runId, stage: 'main', fence: 1, at: 0, elapsedMs: 0 },
    }));
    await agent.storeRunJournal({ run_id: runId, cycle: await this.cycle('ada'), entries, payloads: [] });
  }

  async get(runId: string): Promise<Run> {
    return (await this.play.admin.getRun({ run_id: runId })).run;
  }

  ended(runId: string): Promise<Run> {
    return eventually('the end of the run', async () => {
      const run = await this.get(runId);
      return run.ended_at === null ? null : run;
    });
  }

  /** The first permission that waits for a person, of this run or of any. */
  asked(run_id?: string): Promise<Permission> {
    const query = { state: 'pending' as const, limit: 5, ...(run_id === undefined ? {} : { run_id }) };
    return eventually('a question to people', async () => {
      return (await this.play.admin.listPermissions(query)).permissions[0];
    });
  }

  async events(runId: string): Promise<readonly RunEvent[]> {
    return (await this.play.admin.listRunEvents({ run_id: runId })).events;
  }

  async next(agentId: AgentId): Promise<Run | null> {
    return (await this.play.as(agentId).nextRun({ agent_id: agentId })).run;
  }

  async cycle(agentId: AgentId): Promise<number> {
    return (await this.play.agent(agentId)).cycle;
  }

  async start(agentId: AgentId, runId: string) {
    return this.play.as(agentId).raw.startRun({ run_id: runId, cycle: await this.cycle(agentId) });
  }

  async step(agentId: AgentId, runId: string, step: Omit<CallInput<typeof recordRunStep>['body'], 'cycle'>) {
    return this.play.as(agentId).raw.recordRunStep({ run_id: runId, ...step, cycle: await this.cycle(agentId) });
  }

  async settle(agentId: AgentId, runId: string, end: Omit<CallInput<typeof settleRun>['body'], 'cycle'>) {
    return this.play.as(agentId).raw.settleRun({ run_id: runId, ...end, cycle: await this.cycle(agentId) });
  }

  cancel(runId: string, reason?: string) {
    return this.play.admin.raw.cancelRun({ run_id: runId, ...(reason === undefined ? {} : { reason }) });
  }

  /** Starts and ends every waiting run of an agent. */
  async finishAll(agentId: AgentId): Promise<void> {
    for (let run = await this.next(agentId); run !== null; run = await this.next(agentId)) {
      dataOf(await this.start(agentId, run.run_id));
      dataOf(await this.settle(agentId, run.run_id, { state: 'done', summary: 'Done.' }));
    }
  }
}
