import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { resourcePlanOf, type ResourcePlan, type Resources } from '../brain/resource-plan.ts';
import type { HelpRequest } from '../brain/situation.ts';
import type { Log } from '../process/json-log.ts';
import type { Answer, Village } from '../village/village.ts';
import { requestForModel } from '../brain/board/help-request.ts';
import { withoutHandles } from '../brain/board/words.ts';
import type { Occasion } from '../brain/decision.ts';

/** Maximum number of waiting help requests; beyond it the oldest are dropped. */
const REQUESTS_MAX = 8;

export interface BoardKit {
  readonly writer: BoardWriter;
  readonly requests: HelpRequests;
  readonly planner: ResourcePlanner;
}

export function createBoardKit(village: Village, log: Log): BoardKit {
  const requests = createHelpRequests();
  const onRequest = (request: HelpRequest) => {
    log.info('blocked', { subject: request.subject });
    requests.add(request);
  };
  return {
    requests,
    planner: createResourcePlanner(),
    writer: createBoardWriter({ complete: (body) => village.complete(body), onRequest }),
  };
}

/** Problems for which the agent has not yet asked for help. */
export interface HelpRequests {
  add(request: HelpRequest): void;
  list(): readonly HelpRequest[];
  drop(subject: string): void;
}

export function createHelpRequests(): HelpRequests {
  let waiting: HelpRequest[] = [];
  return {
    add: (request) => {
      waiting = [...waiting.filter(({ subject }) => subject !== request.subject), request].slice(-REQUESTS_MAX);
    },
    list: () => waiting,
    drop: (subject) => {
      waiting = waiting.filter((request) => request.subject !== subject);
    },
  };
}

export interface ResourcePlanner {
  readonly plan: ResourcePlan | null;
  /** Plans again. Null while the tier or its limits are unknown. */
  look(resources: Resources): ResourcePlan | null;
}

export function createResourcePlanner(): ResourcePlanner {
  let plan: ResourcePlan | null = null;
  return {
    get plan() {
      return plan;
    },
    look: (resources) => {
      if (resources.tier === null || resources.limits === null) return null;
      plan = resourcePlanOf(resources);
      return plan;
    },
  };
}

const ANSWER_TOKENS = 160;
const SENTENCES_MAX_CHARS = 1_200;
const STYLE =
  'You write on the board of your village. Write one to three short sentences and nothing else. Claim nothing beyond the facts that you were given.';

/** A text for the board. `by` is the model that wrote its first sentence, or `template`. */
export type Written = Readonly<{
  text: string;
  by: string;
  /** The reason why no model wrote the first sentence; null if a model did. */
  without: string | null;
}>;

interface BoardWriter {
  write(occasion: Occasion, by: { readonly model: string | null; readonly persona: string }): Promise<Written>;
}

interface BoardWriterPorts {
  readonly complete: (body: ChatCompletionBody) => Promise<Answer<ChatCompletion>>;
  readonly onRequest: (request: HelpRequest) => void;
}

function joined(sentence: string, { facts }: Occasion, by: string): string {
  return withoutHandles([sentence, facts, `— ${by}`].filter((part) => part !== '').join('\n\n'));
}

const byModel = (model: string | null): string => `written with ${model === null ? 'a model' : `the model ${model}`}`;

function reasonOf(answer: Exclude<Answer<never>, { kind: 'ok' }>): string {
  switch (answer.kind) {
    case 'refused':
      return answer.code;
    case 'stale':
      return 'a newer run cycle has begun';
    case 'unreachable':
      return answer.why;
  }
}

export function createBoardWriter({ complete, onRequest }: BoardWriterPorts): BoardWriter {
  function fromOwnList(occasion: Occasion, why: string): Written {
    return {
      text: joined(occasion.fallback, occasion, 'a sentence of my own list, without a model'),
      by: 'template',
      without: why,
    };
  }

  const writeNow: BoardWriter['write'] = async (occasion, { model, persona }) => {
    if (model === null) return fromOwnList(occasion, 'my tier has no model that is served');
    const messages = [
      { role: 'system' as const, content: `${persona}\n${STYLE}`.trim() },
      { role: 'user' as const, content: occasion.prompt },
    ];
    const answer = await complete({ model, messages, max_tokens: ANSWER_TOKENS });
    const request = answer.kind === 'refused' ? requestForModel(answer.code, answer.detail) : null;
    if (request !== null) onRequest(request);
    if (answer.kind !== 'ok') return fromOwnList(occasion, reasonOf(answer));
    const sentence = answer.value.choices[0]?.message.content?.trim().slice(0, SENTENCES_MAX_CHARS) ?? '';
    if (sentence === '') return fromOwnList(occasion, 'the model wrote nothing');
    const { scripted } = answer.value.hamlet;
    return {
      text: joined(sentence, occasion, `${byModel(model)}${scripted ? ', which is scripted' : ''}`),
      by: model,
      without: null,
    };
  };

  return {
    write: async (occasion, by) =>
      occasion.written === undefined
        ? writeNow(occasion, by)
        : { text: joined(occasion.written, occasion, byModel(by.model)), by: by.model ?? 'model', without: null },
  };
}
