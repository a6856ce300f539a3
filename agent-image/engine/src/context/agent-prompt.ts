import { fitPieces, type Form, type Piece, type Place } from './fit-pieces.ts';
import type { ContextProfile, ContextSource } from './profile.ts';
import { textPiece, type TokenCounter } from './text-piece.ts';
import { sharedShare, wordsOf } from './words-of.ts';

/** Something that a stage may read. `task`: a result of an earlier stage. Items of a source come oldest first. */
export type ContextItem = Readonly<{
  id: string;
  source: ContextSource;
  text: string;
  /** 0 to 1. */
  importance: number;
}>;

export type PromptParts = Readonly<{
  system: string;
  task: string;
  /** The key decisions of the task so far. */
  decisions: readonly string[];
  items: readonly ContextItem[];
  /** JSON schema of the answer; null for an answer in words. */
  schema: Readonly<Record<string, unknown>> | null;
  /** The fault of the last answer, if this is another attempt. */
  problem?: string;
}>;

const SECTIONS = [
  'system',
  'task',
  'decisions',
  'task_history',
  'docs',
  'memory',
  'history',
  'schema',
  'problem',
] as const;
export type Section = (typeof SECTIONS)[number];

/** A part of a prompt as the model read it. Parts that were left out have an empty text. */
export type PromptPiece = Readonly<{ id: string; section: Section; form: Form; text: string; tokens: number }>;

export type AgentPrompt = Readonly<{
  system: string;
  user: string;
  pieces: readonly PromptPiece[];
  tokens: number;
  /** False if even the instructions, the task or the schema had to be shortened: the budget is too small for this stage. */
  isComplete: boolean;
}>;

/** Stands before the schema of an answer, which is the last part of a prompt. */
export const ANSWER_IN_JSON = 'Answer with one JSON value that fits this JSON schema, and nothing else:';

const HEADINGS: Readonly<Record<Section, string>> = {
  system: '',
  task: '# Task\n',
  decisions: '# Decided so far\n',
  task_history: '# Done so far\n',
  docs: '# Documents\n',
  memory: '# Memory\n',
  history: '# Conversation\n',
  schema: `# Answer\n${ANSWER_IN_JSON}\n`,
  problem: '# Correct your last answer\n',
};
const SECTION_OF: Readonly<Record<ContextSource, Section>> = {
  task: 'task_history',
  docs: 'docs',
  memory: 'memory',
  history: 'history',
};
const BETWEEN = '\n\n';
/** Sections without which a stage cannot be carried out. */
const NEEDED: ReadonlySet<Section> = new Set<Section>(['system', 'task', 'schema', 'problem']);

type Draft = Readonly<{ id: string; section: Section; piece: Piece<string> }>;
type Options = Readonly<{ profile: ContextProfile; countTokens: TokenCounter }>;

/**
 * The prompt of a stage in one fixed order: instructions, task with its decisions, results of earlier stages, documents, memory,
 * history, schema. It never has more than `max_tokens`, as `countTokens` counts. Instructions, task, schema and the newest messages
 * stay; the rest is compressed by rank and cost. Equal input gives an equal prompt. Pure.
 */
export function buildAgentPrompt(parts: PromptParts, { profile, countTokens }: Options): AgentPrompt {
  const drafts = draftsOf(parts, { profile, countTokens });
  for (let room = profile.max_tokens; ;) {
    const prompt = rendered(drafts, room, countTokens);
    // A tokenizer may count a few tokens more for joined texts than for each of them.
    const over = prompt.tokens - profile.max_tokens;
    if (over <= 0) return prompt;
    room = Math.max(0, room - over);
    if (room === 0) return rendered([], 0, countTokens);
  }
}

function draftsOf(
  { system, task, decisions, items, schema, problem }: PromptParts,
  options: Options,
): readonly Draft[] {
  const { profile, countTokens } = options;
  const draft = ({ section, id = section, text, placed = HEAD }: Written): readonly Draft[] =>
    text === '' ? [] : [{ id, section, piece: textPiece(`${text}${BETWEEN}`, placed, countTokens) }];
  const known = ranked(items.filter(isWanted(profile)), { profile, task });
  const found = SECTIONS.flatMap((section) =>
    known.flatMap(({ item: { source, id, text }, placed }) =>
      SECTION_OF[source] === section ? draft({ section, id, text, placed }) : [],
    ),
  );
  return [
    ...draft({ section: 'system', text: system }),
    ...draft({ section: 'task', text: task }),
    ...decisions.flatMap((text, index) =>
      draft({ section: 'decisions', id: `decision ${index + 1}`, text: `- ${text}` }),
    ),
    ...found,
    ...draft({ section: 'schema', text: schema === null ? '' : JSON.stringify(schema) }),
    ...draft({ section: 'problem', text: problem ?? '' }),
  ];
}

type Written = Readonly<{ section: Section; id?: string; text: string; placed?: Placed }>;
type Placed = Pick<Piece<string>, 'place' | 'importance'>;
const HEAD: Placed = { place: 'head', importance: 1 };

const isWanted =
  (profile: ContextProfile) =>
  ({ source }: ContextItem): boolean =>
    profile.sources.includes(source) &&
    (source !== 'task' || profile.include_task_history) &&
    (source !== 'docs' || profile.include_project_docs);

type Ranked = Readonly<{ item: ContextItem; placed: Placed }>;

/** The items with their places and ranks: the newest messages are the tail, and the policy ranks the others. */
function ranked(
  items: readonly ContextItem[],
  { profile, task }: Readonly<{ profile: ContextProfile; task: string }>,
): readonly Ranked[] {
  const wanted = wordsOf(task);
  const seen = new Map<ContextSource, number>();
  const total = Map.groupBy(items, ({ source }) => source);
  return items.map((item) => {
    const at = (seen.get(item.source) ?? 0) + 1;
    seen.set(item.source, at);
    const count = total.get(item.source)?.length ?? at;
    const place: Place = item.source === 'history' && at > count - profile.k_recent_messages ? 'tail' : 'middle';
    const recency = at / count;
    const importance =
      profile.retrieval_policy === 'recency'
        ? recency
        : item.importance + sharedShare(wanted, wordsOf(item.text)) + recency;
    return { item, placed: { place, importance } };
  });
}

function rendered(drafts: readonly Draft[], room: number, countTokens: TokenCounter): AgentPrompt {
  const used = new Set(drafts.map(({ section }) => section));
  const headings = SECTIONS.reduce((sum, each) => sum + (used.has(each) ? countTokens(HEADINGS[each]) : 0), 0);
  const fitted = fitPieces(
    drafts.map(({ piece }) => piece),
    Math.max(0, room - headings),
  );
  const pieces = drafts.map(({ id, section }, index): PromptPiece => {
    const { form, value, tokens } = fitted[index] ?? { form: 'left_out', value: null, tokens: 0 };
    return { id, section, form, text: value?.trimEnd() ?? '', tokens };
  });
  const system = textOf(pieces, ['system']);
  const user = textOf(pieces, SECTIONS.slice(1));
  return {
    system,
    user,
    pieces,
    tokens: countTokens(system) + countTokens(user),
    isComplete: drafts.length > 0 && pieces.every(({ section, form }) => form === 'whole' || !NEEDED.has(section)),
  };
}

const textOf = (pieces: readonly PromptPiece[], sections: readonly Section[]): string =>
  sections
    .flatMap((section) => {
      const texts = pieces.flatMap((piece) => (piece.section === section && piece.text !== '' ? [piece.text] : []));
      return texts.length === 0 ? [] : [`${HEADINGS[section]}${texts.join(BETWEEN)}`];
    })
    .join(BETWEEN);
