import { z } from 'zod';
import type { Dialogue, DialogueQuestion, DialogueTurn } from './dialogue.ts';

export const DIALOGUE_LIMITS = {
  turns: 200_000,
  questions: 20_000,
  textChars: 16_000,
  questionChars: 4_000,
  evidence: 100,
} as const;
/** After this many mistakes the rest of a file is not listed. */
const MISTAKES_MAX = 20;
/** A session and a turn make the id of a memory, which has at most 200 characters. */
const NAME_CHARS = 99;

const Name = z.union([z.string().min(1).max(NAME_CHARS), z.int()]).transform(String);
const At = z.union([z.int().min(0), z.iso.datetime({ offset: true, local: true }), z.iso.date()]);
const TurnLine = z.object({
  session: Name,
  turn: Name,
  speaker: z.string().min(1).max(NAME_CHARS),
  text: z.string().min(1).max(DIALOGUE_LIMITS.textChars),
  at: At.transform((at) => (typeof at === 'number' ? at : Date.parse(at))),
});
const QuestionLine = z.object({
  question: z.string().min(1).max(DIALOGUE_LIMITS.questionChars),
  evidence: z.array(Name).max(DIALOGUE_LIMITS.evidence),
  kind: z.string().min(1).max(NAME_CHARS).default('all'),
});

type TurnLine = z.infer<typeof TurnLine>;
type QuestionLine = z.infer<typeof QuestionLine>;
type Read<Value> = { readonly line: number; readonly value: Value };

export type ReadDialogue =
  | { readonly ok: true; readonly dialogue: Dialogue }
  | { readonly ok: false; readonly mistakes: readonly string[] };

const isText = (value: unknown): value is string => typeof value === 'string';
const mistake = (line: number, text: string): string => `line ${line}: ${text}`;

type Line = { readonly turn: TurnLine } | { readonly question: QuestionLine };

function readJson(text: string): object | string {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : 'it is not an object';
  } catch {
    return 'it is not JSON; write one object a line';
  }
}

const wrongField = ({ issues: [issue] }: z.ZodError, expected: string): string =>
  `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}; expected ${expected}`;

/** A line as a turn or a question; a text says what is wrong with it. */
function readLine(text: string): Line | string {
  const json = readJson(text);
  if (isText(json)) return json;
  if ('question' in json) {
    const question = QuestionLine.safeParse(json);
    return question.success ? { question: question.data } : wrongField(question.error, '{question, evidence, kind?}');
  }
  const turn = TurnLine.safeParse(json);
  return turn.success ? { turn: turn.data } : wrongField(turn.error, '{session, turn, speaker, text, at}');
}

const idOf = ({ session, turn }: TurnLine): string => `${session}:${turn}`;

/** Turns by `SESSION:TURN`, and by their turn alone where it is unique in the file. */
function namesOf(turns: readonly Read<TurnLine>[]): ReadonlyMap<string, string | null> {
  const names = new Map<string, string | null>();
  for (const { value } of turns) {
    const known = names.get(value.turn);
    names.set(value.turn, known === undefined ? idOf(value) : null);
  }
  for (const { value } of turns) names.set(idOf(value), idOf(value));
  return names;
}

function readTurns(turns: readonly Read<TurnLine>[]): readonly (DialogueTurn | string)[] {
  const lines = new Map<string, number>();
  return turns.map(({ line, value }) => {
    const id = idOf(value);
    const before = lines.get(id);
    lines.set(id, line);
    const { session, speaker, text, at } = value;
    if (before !== undefined) return mistake(line, `turn ${id} was on line ${before} already`);
    return { id, session, speaker, text, at };
  });
}

function readQuestions(
  questions: readonly Read<QuestionLine>[],
  names: ReadonlyMap<string, string | null>,
): readonly (DialogueQuestion | string)[] {
  return questions.map(({ line, value }) => {
    const unknown = value.evidence.find((name) => typeof names.get(name) !== 'string');
    if (unknown === undefined) return { ...value, evidence: value.evidence.map((name) => names.get(name) ?? '') };
    if (names.has(unknown)) return mistake(line, `several sessions have a turn ${unknown}; write SESSION:TURN`);
    return mistake(line, `evidence ${unknown} is not a turn of the file`);
  });
}

const isNoText = <Value>(value: Value | string): value is Value => typeof value !== 'string';

/** Reads lines of JSON: turns `{session, turn, speaker, text, at}` and questions `{question, evidence, kind?}`, in any order. */
export function readDialogue(file: string): ReadDialogue {
  const turnLines: Read<TurnLine>[] = [];
  const questionLines: Read<QuestionLine>[] = [];
  const wrong: string[] = [];
  for (const [at, text] of file.split('\n').entries()) {
    if (text.trim() === '') continue;
    const read = readLine(text);
    if (isText(read)) wrong.push(mistake(at + 1, read));
    else if ('turn' in read) turnLines.push({ line: at + 1, value: read.turn });
    else questionLines.push({ line: at + 1, value: read.question });
    if (wrong.length === MISTAKES_MAX) return { ok: false, mistakes: wrong };
  }
  const turns = readTurns(turnLines);
  const questions = readQuestions(questionLines, namesOf(turnLines));
  const mistakes = [
    ...wrong,
    ...turns.filter(isText),
    ...questions.filter(isText),
    ...outside(turns.length, questions.length),
  ];
  if (mistakes.length > 0) return { ok: false, mistakes: mistakes.slice(0, MISTAKES_MAX) };
  return { ok: true, dialogue: { turns: turns.filter(isNoText), questions: questions.filter(isNoText) } };
}

function outside(turns: number, questions: number): readonly string[] {
  const most = (name: 'turns' | 'questions', count: number): readonly string[] => {
    if (count === 0) return [`the file has no ${name}; write at least one`];
    return count > DIALOGUE_LIMITS[name] ? [`the file has ${count} ${name}; at most ${DIALOGUE_LIMITS[name]} fit`] : [];
  };
  return [...most('turns', turns), ...most('questions', questions)];
}
