import {
  banAgent,
  cancelRun,
  createRun,
  dataOf,
  freezeAgent,
  freezeVillage,
  getModelUse,
  getVillageFreeze,
  getVillageSettings,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  liftTokenRevocation,
  liftVillageFreeze,
  listAudit,
  listEgress,
  quarantineAgent,
  revokeAgentToken,
  setVillageSetting,
  streamRun,
  type Client,
} from '@hamlet/contract';
import { z } from 'zod';
import type { Brake, Effect } from './measure.ts';

const REASON = { reason: 'a drill of the brakes' };
const OUTSIDE = 'drill.invalid';

/**
 * The agent of a drill writes, asks a model, and asks for a host that does not exist, until it is stopped.
 * The name has no address, so nothing leaves the village; the broker records each attempt.
 */
const PROGRAM = `
ask='{"model":"small","max_tokens":4,"messages":[{"role":"user","content":"Drill."}]}'
while :; do
  curl -s -m 3 -o /dev/null -H "authorization: Bearer $OPENAI_API_KEY" -H 'content-type: application/json' -d "$ask" "$OPENAI_BASE_URL/chat/completions"
  sleep 0.2
done &
while :; do
  curl -s -m 3 -o /dev/null -x http://127.0.0.1:3128 http://${OUTSIDE}/
  sleep 0.2
done &
while :; do
  echo tick
  sleep 0.2
done`;

/** How the agent thinks: its run's text is a program of the hands. */
export const DRILL_RUNTIME = { name: 'command', config: { command: 'sh', args: '-c\n{prompt}' } };

export interface DrillAgent {
  readonly agentId: string;
  /** Waits until it can take a run, after a measure has ended its pod too. */
  ready(): Promise<void>;
  /** False if no broker records the attempts to leave its pod. */
  readonly hasBroker: boolean;
}

/** The words of a run, as they arrive. */
function wordsOf(admin: Client, runId: string): Effect & { stop(): void } {
  const ending = new AbortController();
  let pieces = 0;
  void (async () => {
    for await (const each of admin.open(streamRun, { params: { run_id: runId }, signal: ending.signal }))
      if (each.event === 'delta') pieces += 1;
  })().catch(() => undefined);
  return { name: 'word', look: () => String(pieces), stop: () => ending.abort() };
}

/** Effects of an agent that the API and the broker record. */
function recordedOf(admin: Client, { agentId, hasBroker }: DrillAgent) {
  const params = { agent_id: agentId };
  const models: Effect = {
    name: 'request to a model',
    look: async () => (await dataOf(admin.call(getModelUse, { params }))).recent[0]?.request_id ?? '',
  };
  const attempts = (name: string, refused?: 'false'): Effect => ({
    name,
    look: async () => {
      const query = { ...params, limit: 1, ...(refused === undefined ? {} : { refused }) };
      return (await dataOf(admin.call(listEgress, { query }))).attempts[0]?.id ?? '';
    },
  });
  return {
    models,
    /** Attempts that the broker let through. */
    outside: hasBroker ? [attempts('attempt to leave the pod', 'false')] : [],
    /** All attempts: one proves that the program lives. */
    program: hasBroker ? [attempts('act of its program')] : [],
  };
}

const MEASURES = [
  ['Kill of an agent', killAgent, liftKill],
  ['Ban of an agent', banAgent, liftBan],
  ['Quarantine of an agent', quarantineAgent, liftQuarantine],
  ['Freeze of an agent', freezeAgent, liftFreeze],
  ['Revoked token of an agent', revokeAgentToken, liftTokenRevocation],
] as const;

export function agentBrakes(admin: Client, agent: DrillAgent): readonly Brake[] {
  const params = { agent_id: agent.agentId };
  const { models, outside, program } = recordedOf(admin, agent);

  /** A brake on a run of the agent. `effects` gets the words of the run. */
  function onRun(
    name: string,
    effects: (words: Effect) => readonly Effect[],
    act: { pull(runId: string): Promise<unknown>; lift?(): Promise<unknown> },
  ): Brake {
    return {
      name,
      arm: async () => {
        await agent.ready();
        const { run } = await dataOf(admin.call(createRun, { params, body: { prompt: PROGRAM } }));
        const words = wordsOf(admin, run.run_id);
        return {
          effects: effects(words),
          pull: () => act.pull(run.run_id),
          release: async () => {
            words.stop();
            try {
              await act.lift?.();
            } finally {
              await admin.call(cancelRun, { params: { run_id: run.run_id }, body: REASON });
            }
          },
        };
      },
    };
  }

  return [
    onRun('Stop of a run', (words) => [words, models, ...program], {
      pull: (runId) => dataOf(admin.call(cancelRun, { params: { run_id: runId }, body: REASON })),
    }),
    ...MEASURES.map(([name, take, lift]) =>
      onRun(name, (words) => [words, models, ...outside], {
        pull: () => dataOf(admin.call(take, { params, body: REASON })),
        lift: () => dataOf(admin.call(lift, { params })),
      }),
    ),
    onRun('Freeze of the village', () => [models, ...outside], ofFreeze(admin)),
    ...(agent.hasBroker ? [onRun('Every way out closed', () => outside, ofWaysOut(admin))] : []),
  ];
}

/** The freeze of the village. A freeze that an admin began during the drill ends the drill, and stays. */
function ofFreeze(admin: Client) {
  return {
    pull: async () => {
      const { reason } = await dataOf(admin.call(freezeVillage, { body: REASON }));
      if (reason !== REASON.reason) throw new Error(`an admin froze the village during the drill: ${reason}`);
    },
    lift: () => liftDrillFreeze(admin),
  };
}

const Freezing = z.object({ reason: z.string() });

/**
 * Lifts the freeze of a drill, even of an earlier one that was killed. A freeze that an admin began stays. So does a
 * freeze of a drill that an admin requested too: it keeps the reason of the drill, and the newest act in the audit has
 * the reason of the admin.
 */
export async function liftDrillFreeze(admin: Client): Promise<void> {
  const { frozen, reason } = await dataOf(admin.call(getVillageFreeze, {}));
  if (!frozen || reason !== REASON.reason) return;
  const { records } = await dataOf(admin.call(listAudit, { query: { action: 'village.freeze', limit: 1 } }));
  if (Freezing.safeParse(records[0]?.detail).data?.reason === REASON.reason)
    await dataOf(admin.call(liftVillageFreeze, {}));
}

/** The setting that closes every way out. If an admin closed it during the drill, the drill ends and it stays closed. */
function ofWaysOut(admin: Client) {
  const setOpen = (value: false | null): Promise<unknown> =>
    dataOf(admin.call(setVillageSetting, { params: { key: 'egress_open' }, body: { value } }));
  let isClosed = false;
  return {
    pull: async () => {
      const { settings } = await dataOf(admin.call(getVillageSettings, {}));
      if (settings.some(({ key, value }) => key === 'egress_open' && value === false))
        throw new Error('an admin closed every way out during the drill');
      isClosed = true;
      await setOpen(false);
    },
    lift: async () => {
      if (isClosed) await setOpen(null);
      isClosed = false;
    },
  };
}
