import type { AgentConfig } from '@hamlet/contract';
import type { RuntimeContext } from '@hamlet/engine';
import { fitting } from '../brain/speech.ts';
import { promptOf } from '../engine/prompt.ts';
import type { WorkTree } from '../hands/repository/read-work-tree.ts';
import { rejectOnAbort } from '../village/retry.ts';
import { runtimeNameOf, type RuntimePool } from './runtime-pool.ts';

/** Timeout of an answer within a turn; the turn then ends without words. */
export const ANSWER_TIMEOUT_MS = 20_000;
/** Timeout of a model's answer in parallel to the turns: at 4 tokens a second it may take 40 s, after a wait in the queue. */
export const MODEL_ANSWER_TIMEOUT_MS = 120_000;
/** The runtime without a conversation, which answers speech. */
export const SPEECH = 'speech';
const STYLE =
  'Someone speaks to you in the village. Answer with one or two short spoken sentences, without lists and markup.';

export type Words =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'silent'; readonly why: string };

export type Spoken = Pick<RuntimeContext, 'speaker' | 'place' | 'plan' | 'seed'> & { readonly config: AgentConfig };

/** Answers speech. Never rejects. */
export interface Voice {
  answer(prompt: string, spoken: Spoken): Promise<Words>;
  /** True if an answer takes too long for a turn. */
  isSlow(config: AgentConfig): boolean;
}

export interface VoicePorts {
  readonly runtimes: Pick<RuntimePool, 'obtain'>;
  readonly workTreeOf: (repository: AgentConfig['repository']) => Promise<WorkTree>;
  readonly memoryPath: string;
  readonly stop: AbortSignal;
}

/** Answers with a runtime, within the timeout, and shortens the text to the length of a speech bubble. */
export function voiceOf(ports: VoicePorts): Voice {
  const isSlow = (config: AgentConfig): boolean => runtimeNameOf(config) === 'engine';
  return {
    isSlow,
    answer: async (prompt, spoken) => {
      const timeout = AbortSignal.timeout(isSlow(spoken.config) ? MODEL_ANSWER_TIMEOUT_MS : ANSWER_TIMEOUT_MS);
      const signal = AbortSignal.any([ports.stop, timeout]);
      try {
        const text = await Promise.race([wordsOf(ports, prompt, { ...spoken, signal }), rejectOnAbort(signal)]);
        const fit = fitting(text);
        return fit === '' ? { kind: 'silent', why: 'the runtime gave an empty answer' } : { kind: 'said', text: fit };
      } catch (error) {
        return { kind: 'silent', why: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

async function wordsOf(
  { runtimes, workTreeOf, memoryPath }: VoicePorts,
  text: string,
  { config, signal, ...spoken }: Spoken & { readonly signal: AbortSignal },
): Promise<string> {
  const obtained = await runtimes.obtain(config, SPEECH);
  if (!obtained.ok) throw new Error(obtained.warning.message);
  const prompt = promptOf({ config, standing: null, world: null, people: [], asker: spoken.speaker, offer: null });
  const situation = `${STYLE} ${spoken.speaker} speaks to you${spoken.place === null ? '' : ` at ${spoken.place}`}. You are ${spoken.plan}.`;
  const input = { kind: 'speech' as const, text, prompt: { ...prompt, situation }, model: config.model?.name ?? '' };
  const { repo, branch } = await workTreeOf(config.repository);
  const context = { ...spoken, sessionId: SPEECH, memoryPath, repo, branch, signal };
  const outcome = await obtained.runtime.execute(input, context);
  if (outcome.kind === 'done') return outcome.text;
  throw new Error(outcome.kind === 'failed' ? outcome.message : 'the runtime did not answer');
}
