/** A base model in this process: it continues a text. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Larger contexts are accepted, but the model was trained with this one. */
const CONTEXT_TOKENS = 8_192;
/** Without this penalty the smallest models repeat themselves. */
const REPEAT_PENALTY = 1.15;

export interface Continuation {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number | undefined;
  /** The text ends before the first of these strings. */
  readonly stop: readonly string[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

export interface Continued {
  readonly text: string;
  readonly finish: 'stop' | 'length';
  readonly completionTokens: number;
}

export interface TextModel {
  readonly contextTokens: number;
  countTokens(text: string): number;
  /** Writes one text at a time. Rejects with the reason of the signal when it aborts. */
  continue(text: Continuation): Promise<Continued>;
  close(): Promise<void>;
}

interface Sequence {
  clearHistory(): Promise<void>;
}
interface Completed {
  readonly response: string;
  readonly metadata: { readonly stopReason: string };
}
interface Completion {
  generateCompletionWithMeta(prompt: string, options: object): Promise<Completed>;
}
/** The parts of node-llama-cpp that are used here. It is not installed in the work tree, so its types are not either. */
interface LlamaLibrary {
  readonly LlamaCompletion: new (options: { readonly contextSequence: Sequence }) => Completion;
  getLlama(options: object): Promise<{
    loadModel(options: { readonly modelPath: string }): Promise<{
      tokenize(text: string): readonly number[];
      createContext(options: object): Promise<{ getSequence(): Sequence }>;
    }>;
    dispose(): Promise<void>;
  }>;
}

/** Loads the weights: about 2 s and 800 MB. One thread, because a second one only spins on a busy machine. */
export async function openTextModel(runtime: string, weights: string): Promise<TextModel> {
  const entry = join(runtime, 'node_modules/node-llama-cpp/dist/index.js');
  const { getLlama, LlamaCompletion } = (await import(pathToFileURL(entry).href)) as LlamaLibrary;
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: weights });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });
  const sequence = context.getSequence();
  const completion = new LlamaCompletion({ contextSequence: sequence });
  return {
    contextTokens: CONTEXT_TOKENS,
    countTokens: (text) => model.tokenize(text).length,
    continue: async ({ prompt, maxTokens, temperature, seed, stop, signal, onText }) => {
      await sequence.clearHistory();
      let completionTokens = 0;
      const { response, metadata } = await completion.generateCompletionWithMeta(prompt, {
        maxTokens,
        temperature,
        signal,
        customStopTriggers: stop,
        repeatPenalty: { penalty: REPEAT_PENALTY },
        onTextChunk: onText,
        onToken: (tokens: readonly number[]) => (completionTokens += tokens.length),
        ...(seed === undefined ? {} : { seed }),
      });
      return { text: response, finish: metadata.stopReason === 'maxTokens' ? 'length' : 'stop', completionTokens };
    },
    close: () => llama.dispose(),
  };
}
