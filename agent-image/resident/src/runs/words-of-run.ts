import { repositoryId } from '@hamlet/core/git';
import { shorten } from '@hamlet/core/shorten';
import type { SaidWords } from '../memory/own-memory.ts';
import { DIARY_SESSION, OWN_NAME } from '../memory/remembered.ts';
import type { StartedRun } from '../village/village.ts';
import { askerOf, audienceOf } from './run-input.ts';
import type { EndedRun } from './settlement.ts';

const TASK_MAX_CHARS = 200;
export const END_WORDS: Readonly<Record<EndedRun['state'], string>> = {
  done: 'I did it.',
  failed: 'I could not do it.',
  cancelled: 'It was cancelled.',
};

/** Without the words, so that forgetting them forgets all. */
const ANSWERS: Readonly<Record<EndedRun['state'], string>> = {
  done: 'I answered.',
  failed: 'I could not answer.',
  cancelled: 'It was cancelled.',
};

/** The ids under which the message and the answer of a run are kept. Pure. */
export const wordIdsOf = (run: string): readonly [message: string, answer: string] => [`e-${run}-0`, `e-${run}-1`];

/**
 * The words of a run that an agent keeps: the message and the answer of a conversation, and an entry of its diary, for the people of the run.
 * A worker's run and a run in a safe mode leave none. Pure.
 */
export function wordsOfRun(
  { run, session, repository: place }: Pick<StartedRun, 'run' | 'session' | 'repository'>,
  { state, answer }: Pick<EndedRun, 'state' | 'answer'>,
): readonly SaidWords[] {
  if (run.worker !== undefined || run.safe_mode !== undefined) return [];
  const audience = audienceOf({ run, session });
  const asker = askerOf({ run, session });
  const { run_id: id, session_id: sessionId, prompt, created_at: at } = run;
  const isOutside = (run.taint ?? []).length > 0;
  // The time makes each entry a memory of its own.
  const when = at.slice(0, 16).replace('T', ' ');
  const scope = { audience, repository: place === null ? null : repositoryId(place.url) };
  const diary = { ...scope, id: `d-${id}`, session: DIARY_SESSION, speaker: OWN_NAME, mayBeOutside: isOutside };
  if (sessionId === null)
    return [
      { ...diary, text: `${when}: ${asker} gave me work: “${shorten(prompt, TASK_MAX_CHARS)}” ${END_WORDS[state]}` },
    ];
  const said = { ...scope, session: sessionId };
  const [messageId, answerId] = wordIdsOf(id);
  // An answer from outside earlier in the conversation does not make the message one.
  const mayBeOutside = (run.taint ?? []).some(({ source }) => source !== 'conversation');
  const asked = { ...said, id: messageId, speaker: speakerOf(asker), text: prompt, mayBeOutside };
  const answered = { ...said, id: answerId, speaker: OWN_NAME, mayBeOutside: true };
  return [
    asked,
    ...(answer === undefined ? [] : [{ ...answered, text: answer }]),
    { ...diary, text: `${when}: ${asker} wrote to me. ${ANSWERS[state]}` },
  ];
}

/** A person may have the name under which the agent keeps its own words. */
const speakerOf = (asker: string): string => (asker.trim().toUpperCase() === OWN_NAME ? `“${asker.trim()}”` : asker);
