/** A model that asks for the steps of a script with the shell of the program that asks it, and counts the tokens of each request. */
import { OPENAI_WIRE, startWireServer, type ScriptedAnswer, type WireServer } from '@hamlet/models/testing';
import { tokensOf } from '../../../agent-image/resident/src/testing/a-task-run.ts';
import { SHELLS } from '../../../test/clients/coder-mind.ts';

/** The words that the model says once every step has a result. */
export const FINISHED = 'All steps are done.';
const COMPLETION_TOKENS = 40;
/** Our shell takes a command as text. */
const COMMANDS: typeof SHELLS = { ...SHELLS, shell: (command) => ({ command }) };

interface Chat {
  readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly tool_calls?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

export interface Counted {
  /** Tokens of the first request that offers a shell. */
  readonly first: number;
  /** Tokens of all requests. */
  readonly sum: number;
  /** Tokens of all requests that repeat the beginning of an earlier one, so that a provider can cache them. */
  readonly repeated: number;
  readonly requests: number;
  readonly steps: number;
}

/** The parts of a request in the order in which a provider reads them. */
const partsOf = ({ messages, tools = [] }: Chat): readonly string[] => [
  JSON.stringify(tools),
  ...messages.map(
    ({ role, content, tool_calls: calls }) =>
      `${role} ${typeof content === 'string' ? content : JSON.stringify(content ?? '')}${calls === undefined ? '' : JSON.stringify(calls)}`,
  ),
];

/** The requests of one program so far. Mutable, because it counts them. */
export class StepMind {
  #counted: Counted = { first: 0, sum: 0, repeated: 0, requests: 0, steps: 0 };
  #earlier: (readonly string[])[] = [];
  readonly #sizes = new Map<string, number>();
  readonly #steps: readonly string[];

  constructor(steps: readonly string[]) {
    this.#steps = steps;
  }

  /** Returns the counts, and begins again for the next program. */
  take(): Counted {
    const counted = this.#counted;
    this.#counted = { first: 0, sum: 0, repeated: 0, requests: 0, steps: 0 };
    this.#earlier = [];
    return counted;
  }

  answer(chat: Chat): ScriptedAnswer {
    const shell = chat.tools?.map((tool) => tool.function.name).find((name) => Object.hasOwn(COMMANDS, name));
    const prompt = this.#count(partsOf(chat), shell !== undefined);
    const usage = { prompt, completion: COMPLETION_TOKENS };
    if (shell === undefined) return { text: ['ok'], usage };
    const number = this.#counted.steps;
    const step = this.#steps[number];
    if (step === undefined) return { text: [FINISHED], usage };
    this.#counted = { ...this.#counted, steps: number + 1 };
    const args = JSON.stringify(COMMANDS[shell]?.(step, false));
    return { text: ['The next step.'], calls: [{ id: `call_${number}`, name: shell, pieces: [args] }], usage };
  }

  #count(parts: readonly string[], hasShell: boolean): number {
    const tokens = this.#sum(parts);
    const repeated = Math.max(0, ...this.#earlier.map((each) => this.#sum(commonStart(parts, each))));
    const { first, sum, requests, steps } = this.#counted;
    this.#earlier.push(parts);
    this.#counted = {
      first: first === 0 && hasShell ? tokens : first,
      sum: sum + tokens,
      repeated: this.#counted.repeated + repeated,
      requests: requests + 1,
      steps,
    };
    return tokens;
  }

  #sum(parts: readonly string[]): number {
    return parts.reduce((sum, part) => {
      const size = this.#sizes.get(part) ?? tokensOf(part);
      this.#sizes.set(part, size);
      return sum + size;
    }, 0);
  }
}

function commonStart(parts: readonly string[], earlier: readonly string[]): readonly string[] {
  const differs = parts.findIndex((part, at) => part !== earlier[at]);
  return differs < 0 ? parts : parts.slice(0, differs);
}

/** The server of a provider whose model is this mind. */
export const startStepMind = (mind: StepMind): Promise<WireServer> =>
  startWireServer([], {
    otherwise: ({ method, path, body }) => {
      if (method === 'GET')
        return { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] };
      if (path !== '/v1/chat/completions') return null;
      const answer = mind.answer(body as Chat);
      return (body as Chat).stream === true ? OPENAI_WIRE.stream(answer) : OPENAI_WIRE.plain(answer);
    },
  });
