/** Agents with a model in a village within one process: the model is a wire server on loopback, and ticks are the only clock. */
import { setImmediate } from 'node:timers/promises';
import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { createThinker } from '../loop/thinker.ts';
import { createScriptedRuntime } from '../runtime/scripted-runtime.ts';
import { voiceOf } from '../runtime/voice.ts';
import type { Answer } from '../village/village.ts';
import { poolOf } from './a-runtime.ts';
import { LIMITS } from './a-village.ts';
import { coreVillage, lifeOf, type CoreVillage } from './core-village.ts';

const BYTES_PER_TOKEN = 4;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A request for a decision or for a line, as the model received it. */
export interface AskedOfModel {
  readonly system: string;
  readonly user: string;
  /** The ids among which a decision chooses; null in a request for a line. */
  readonly options: readonly string[] | null;
}

interface Body {
  readonly messages: readonly { readonly content: string }[];
  readonly response_format: {
    readonly json_schema: {
      readonly schema: { readonly properties: { readonly option?: { readonly enum: string[] } } };
    };
  };
}

/** A model that answers each request with JSON. It counts tokens by the bytes of request and answer. */
export function startThinkingModel(answer: (asked: AskedOfModel) => object): Promise<WireServer> {
  return startWireServer([], {
    otherwise: ({ body }) => {
      const { messages, response_format: format } = body as Body;
      const { option } = format.json_schema.schema.properties;
      const [system = '', user = ''] = messages.map(({ content }) => content);
      const text = JSON.stringify(answer({ system, user, options: option?.enum ?? null }));
      const [prompt, completion] = [JSON.stringify([messages, format]), text].map(tokensOf);
      return OPENAI_WIRE.plain({ text: [text], usage: { prompt: prompt ?? 0, completion: completion ?? 0 } });
    },
  });
}

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** The token usage of an agent. */
export interface Used {
  requests: number;
  tokens: number;
}

export interface ThinkingVillage extends CoreVillage {
  readonly used: ReadonlyMap<string, Used>;
  /** Lets every agent live through the next ticks. After each tick it waits for the model's answers. */
  live(ticks: number): Promise<void>;
}

export function thinkingVillage(
  names: readonly string[],
  { seed, wire, tokensPerHour }: { readonly seed: number; readonly wire: WireServer; readonly tokensPerHour: number },
): ThinkingVillage {
  const village = coreVillage(names, seed, {
    model: { provider: 'compatible', name: 'small', scripted: false, reason: '' },
    limits: { ...LIMITS, concurrent_model_requests: 4, tokens_per_hour: tokensPerHour },
  });
  const folders = { workTreeOf: async () => ({ repo: null, branch: null }), memoryPath: '/nowhere' };
  const voice = voiceOf({ runtimes: poolOf(createScriptedRuntime()), ...folders, stop: new AbortController().signal });
  const used = new Map<string, Used>();
  /** Settles when every request so far is answered. */
  let answered: Promise<unknown> = Promise.resolve();
  let pending = 0;
  const lives = village.villagers.map((villager) => {
    const own = { requests: 0, tokens: 0 };
    used.set(villager.agentId, own);
    const complete = (body: ChatCompletionBody): Promise<Answer<ChatCompletion>> => {
      pending += 1;
      // Agents get their answers in the order of their requests, so that every run of the village is the same.
      const answer = Promise.all([ask(wire.url, body, own), answered]).then(([value]) => value);
      answered = answer.finally(() => (pending -= 1));
      return answer;
    };
    const onThought = () => void villager.waiting.push({ kind: 'tick' });
    return lifeOf(villager, {
      voice,
      seed,
      thinker: createThinker({ complete, diary: () => [], onThought, log: SILENT }),
    });
  });
  let tick = 0;
  return {
    ...village,
    used,
    live: async (ticks) => {
      for (const end = tick + ticks; tick < end; tick += 1) {
        village.advanceTo(tick);
        for (const live of lives) await live(tick);
        // An answer may cause another request, after the steps of the agent that waits for it.
        for (; pending > 0; await setImmediate()) await answered;
      }
    },
  };
}

async function ask(url: string, body: ChatCompletionBody, used: Used): Promise<Answer<ChatCompletion>> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  const value = (await response.json()) as ChatCompletion;
  used.requests += 1;
  used.tokens += value.usage.total_tokens;
  return { kind: 'ok', value };
}
