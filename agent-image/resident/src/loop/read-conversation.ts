import type { Thought } from '../brain/life/life-mind.ts';
import { READING_TOKENS } from '../brain/life/when-to-think.ts';
import type { Situation } from '../brain/situation.ts';
import type { ConversationReader } from '../memory/reading/conversation-reader.ts';
import type { Passage } from '../memory/reading/plan-reading.ts';
import { readingQuestionOf } from '../memory/reading/reading-question.ts';
import type { Log } from '../process/json-log.ts';
import { answerTo, type Asking } from './answer-to.ts';

/** Failures that end by themselves and say nothing about the words: they do not count as tries. */
const PASSING: ReadonlySet<string> = new Set([
  'stopped',
  'no_tokens_left',
  'village_frozen',
  'token_quota_exhausted',
  'too_many_in_flight',
]);

interface Reading extends Pick<Asking, 'complete' | 'until'> {
  readonly reader: Pick<ConversationReader, 'begin' | 'keep' | 'delay'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Makes facts from a passage with one question to the agent's model, and keeps them. Never rejects. */
export async function readConversation(
  { reader, log, ...asking }: Reading,
  situation: Situation,
  passage: Passage,
): Promise<Thought> {
  let thought: Thought = { kind: 'facts', askedAt: situation.tick, tokens: 0, model: '' };
  try {
    const known = await reader.begin(passage);
    if (known === null) return thought;
    const question = readingQuestionOf(passage, known);
    const asked = { ...asking, situation, least: READING_TOKENS, name: 'facts' };
    const { answer, failure, ...made } = await answerTo(question, asked);
    thought = { kind: 'facts', ...made };
    if (answer !== null) log.info('facts_kept', { facts: await reader.keep(passage, known, answer) });
    else if (failure !== null) fail({ reader, log }, passage, { reason: failure, tokens: made.tokens });
  } catch (error) {
    log.warn('facts_not_kept', { why: error instanceof Error ? error.message : String(error) });
  }
  return thought;
}

type Failure = Readonly<{ reason: string; tokens: number }>;

/** An unusable answer counts, even if something else prevented the second one. */
function fail({ reader, log }: Pick<Reading, 'reader' | 'log'>, passage: Passage, { reason, tokens }: Failure): void {
  if (PASSING.has(reason) && tokens === 0) reader.delay(passage);
  log.warn('facts_not_made', { reason });
}
