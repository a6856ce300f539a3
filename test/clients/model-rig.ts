/** A village whose model is a scripted coder, and the door of a pod to it, with a run of an agent under way. */
import { createRunBook } from '../../agent-image/resident/src/engine/run-book.ts';
import { openModelDoor } from '../../agent-image/resident/src/door/model-door.ts';
import { ModelKeys } from '../../agent-image/resident/src/door/model-keys.ts';
import { wireModels } from '../../api/server/src/gateway/testing/wire-models.ts';
import { RunPlay } from '../../api/server/src/testing/play/run-play.ts';
import { agentToken, startPlay } from '../../api/server/src/testing/test-village.ts';
import { atEnd, untilEnd } from '../env/at-end.ts';
import { startCoderMind } from './coder-mind.ts';

export const MODEL = 'small';
export const CONTEXT_TOKENS = 200_000;
const AGENT = 'bob';
/** A run waits again 30 s after the last renewal. */
const RENEW_MS = 8_000;

export interface ModelRig {
  /** Origin of the gateway, and the agent's token for it. */
  readonly url: string;
  readonly token: string;
  readonly run: string;
  /** Variables with a new key of the run, as a program in the hands gets them. */
  variables(): Readonly<Record<string, string>>;
}

/** Lasts until the tests of the calling file have ended. */
export async function startModelRig(startMind = startCoderMind): Promise<ModelRig> {
  const mind = untilEnd(await startMind());
  const models = wireModels(mind.url, { route: { model: 'up-model', contextTokens: CONTEXT_TOKENS } });
  const tier = (text: string): string =>
    text
      .replace(/tokensPerHour: \d+/, 'tokensPerHour: 50000000')
      .replace(/requestsPerMinute: \d+/, 'requestsPerMinute: 100000');
  const { play } = await startPlay({ models, samples: { 'good-entitlement-tier-0.yaml': tier } });
  const runs = new RunPlay(play.url);
  const run = await runs.started(AGENT);
  const cycle = await runs.cycle(AGENT);
  const renewal = setInterval(() => void play.as(AGENT).raw.renewRun({ run_id: run, cycle, attempt: 1 }), RENEW_MS);
  atEnd(() => clearInterval(renewal));
  const book = createRunBook();
  book.open({
    runId: run,
    lease: { cycle, attempt: 1 },
    model: { name: MODEL, contextTokens: CONTEXT_TOKENS },
    audience: ['all'],
    repository: null,
    memoryAudience: null,
    author: null,
    onLeaseLost: () => undefined,
    refused: new Set(),
    refusals: new Map(),
    policy: null,
  });
  const keys = new ModelKeys(book);
  const tokens = { get: async () => agentToken(AGENT), renew: () => undefined };
  const door = await openModelDoor({ api: play.url, tokens, keys });
  atEnd(() => door.close());
  keys.openedAt(door.port);
  return { url: play.url, token: agentToken(AGENT), run, variables: () => keys.environmentOf({ run, call: 'mind' }) };
}
