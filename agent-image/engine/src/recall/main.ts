#!/usr/bin/env node
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_PROFILE, openMemory } from '../memory/index.ts';
import { askMemory, rememberDialogue } from './ask-memory.ts';
import type { Dialogue } from './dialogue.ts';
import { readDialogue } from './read-dialogue.ts';
import { RECALL_AT, scoreByKind, scoreRecall, type Answered, type RecallScore } from './score.ts';

const USAGE = `hamlet-recall: measures what an agent's memory finds in recorded conversations

usage: hamlet-recall [--json] FILE.jsonl…

Each file is one conversation over many sessions, and one memory. Its lines are turns and questions, in any order:
  {"session": "1", "turn": 4, "speaker": "Mira", "text": "Lena moved to Porto", "at": "2025-03-02T18:00:00Z"}
  {"question": "Where does Lena live?", "evidence": ["1:4"], "kind": "single"}
  at         an ISO date or time, or milliseconds since 1970
  evidence   the turns that answer the question together, as SESSION:TURN, or as TURN if one session alone has it
  kind       groups questions; optional
  --json     one line of JSON instead of a table

Prints the mean share of the evidence among the first 5, 10 and 20 memories, the tokens of the first ten (estimated by bytes),
and the time within which 95 % of the searches end. Uses the default profile and embedder; nothing leaves the machine.
Exits 0, or 2 if a file cannot be read.`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;
const PROFILE = `${DEFAULT_PROFILE.name} ${DEFAULT_PROFILE.version}`;
const FILE_BYTES_MAX = 256 << 20;
const DAY_MS = 86_400_000;

class Unreadable extends Error {}

async function read(file: string): Promise<Dialogue> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile())
    throw new Unreadable(`${file}: there is no such file; name a file of JSON lines`);
  if (found.size > FILE_BYTES_MAX) throw new Unreadable(`${file}: it is larger than 256 MiB; split it by conversation`);
  const outcome = readDialogue(await readFile(file, 'utf8'));
  if (outcome.ok) return outcome.dialogue;
  throw new Unreadable(outcome.mistakes.map((mistake) => `${file}: ${mistake}`).join('\n'));
}

interface Asked {
  readonly answered: readonly Answered[];
  readonly refused: ReadonlyMap<string, number>;
  readonly embedder: string;
}

/** Scores one conversation in a memory of its own, a day after its last turn. */
async function ask({ turns, questions }: Dialogue): Promise<Asked> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-recall-'));
  const now = turns.reduce((latest, { at }) => Math.max(latest, at), 0) + DAY_MS;
  const memory = openMemory({ dir: folder, clock: () => now });
  try {
    const { memoryOf, refused } = await rememberDialogue(memory, turns);
    return { answered: await askMemory(memory, questions, memoryOf), refused, embedder: memory.stats().embedder };
  } finally {
    memory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const percent = (share: number): string => (share * 100).toFixed(1);

function line(name: string, score: RecallScore): string {
  const cells = [
    String(score.questions),
    ...RECALL_AT.map((k) => percent(score.recall[k])),
    score.tokens.toFixed(0),
    score.p95Ms.toFixed(2),
  ];
  return `${name.padEnd(20)}${cells.map((cell) => cell.padStart(11)).join('')}`;
}

function table(asked: readonly Asked[], turns: number): string {
  const answered = asked.flatMap((each) => each.answered);
  const refused = asked.flatMap((each) => [...each.refused]).map(([reason, count]) => `${count} ${reason}`);
  const kinds = [...scoreByKind(answered)].filter(([, { questions }]) => questions > 0);
  return [
    `${turns} ${turns === 1 ? 'turn' : 'turns'}${refused.length === 0 ? '' : `, not kept: ${refused.join(', ')}`}; profile ${PROFILE}, embedder ${asked[0]?.embedder ?? ''}`,
    `${' '.repeat(20)}${['questions', ...RECALL_AT.map((k) => `recall@${k}`), 'tokens@10', 'p95 ms'].map((cell) => cell.padStart(11)).join('')}`,
    line('all questions', scoreRecall(answered)),
    ...(kinds.length > 1 ? kinds.map(([kind, score]) => line(kind, score)) : []),
  ].join('\n');
}

async function main(files: readonly string[], json: boolean): Promise<void> {
  const dialogues = await Promise.all(files.map(read));
  const asked: Asked[] = [];
  for (const dialogue of dialogues) asked.push(await ask(dialogue));
  const turns = dialogues.reduce((sum, dialogue) => sum + dialogue.turns.length, 0);
  if (!json) return console.log(table(asked, turns));
  const answered = asked.flatMap((each) => each.answered);
  const kinds = Object.fromEntries(scoreByKind(answered));
  console.log(
    JSON.stringify({ turns, profile: PROFILE, embedder: asked[0]?.embedder, ...scoreRecall(answered), kinds }),
  );
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) console.log(USAGE);
  else if (positionals.length === 0) throw new Unreadable(USAGE);
  else await main(positionals, values.json);
} catch (error) {
  const isExpected =
    error instanceof Unreadable || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;
  if (!isExpected) throw error;
  console.error((error as Error).message);
  process.exitCode = 2;
}
