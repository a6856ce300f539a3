import { type Talk, type Thought } from '../brain/life/life-mind.ts';
import { optionsOf } from '../brain/life/options.ts';
import { lineQuestionOf, nextLineOf } from '../brain/life/next-line.ts';
import { chosenOf, cueOf, questionOf, type Question } from '../brain/life/question.ts';
import { LINE_TOKENS, talkToAnswer } from '../brain/life/talk.ts';
import { DECISION_TOKENS, isTimeToRead, isTimeToThink, situationKey } from '../brain/life/when-to-think.ts';
import type { Situation } from '../brain/situation.ts';
import type { ConversationReader } from '../memory/reading/conversation-reader.ts';
import type { Log } from '../process/json-log.ts';
import { answerTo, type Answered, type Complete } from './answer-to.ts';
import { readConversation } from './read-conversation.ts';

/** Requests decisions from the agent's model in parallel to the turns: a turn never waits for a model. */
export interface Thinker {
  /** The decision that has arrived since the last call; null if none has. */
  take(): Thought | null;
  /** Requests the next line of a conversation, a decision, or facts of a conversation with people, if it is time; one at a time. */
  consider(situation: Situation): void;
}

export interface ThinkerPorts {
  readonly complete: Complete;
  readonly diary: () => readonly string[];
  /** Memories that everybody may know and that fit a text, the best first. Never rejects. Without it the agent recalls none. */
  readonly recall?: (text: string) => Promise<readonly string[]>;
  /** Reads conversations that have rested. Without a reader the agent makes no facts from them. */
  readonly reader?: ConversationReader;
  /** Aborts when a run begins, so that it need not wait for a reading. */
  readonly quiet?: () => AbortSignal;
  readonly onThought: () => void;
  readonly log: Log;
  /** Aborts all requests. */
  readonly stop?: AbortSignal;
}

export function createThinker(ports: ThinkerPorts): Thinker {
  let ready: Thought | null = null;
  let isAsking = false;
  let reading = new AbortController();

  async function ask(thought: Promise<Thought>): Promise<void> {
    isAsking = true;
    try {
      ready = await thought;
      ports.onThought();
    } finally {
      isAsking = false;
    }
  }

  function read(situation: Situation): void {
    const { reader, complete, log, stop = NEVER, quiet = () => NEVER } = ports;
    const passage = reader?.next() ?? null;
    if (reader === undefined || passage === null) return;
    reading = new AbortController();
    const until = AbortSignal.any([stop, quiet(), reading.signal]);
    void ask(readConversation({ reader, complete, log, until }, situation, passage));
  }

  return {
    take: () => {
      const taken = ready;
      ready = null;
      return taken;
    },
    consider: (situation) => {
      const talk = talkToAnswer(situation);
      // Another agent waits for an answer; a conversation that has rested does not.
      if (talk !== undefined) reading.abort(new Error('another agent speaks'));
      if (isAsking || ready !== null || situation.thinks === null) return;
      if (talk !== undefined) void ask(thinkOfLine(ports, situation, talk));
      else if (isTimeToThink(situation)) void ask(thinkOfChoice(ports, situation));
      else if (isTimeToRead(situation)) read(situation);
    },
  };
}

async function thinkOfChoice(ports: ThinkerPorts, situation: Situation): Promise<Thought> {
  const options = optionsOf(situation);
  const recalled = ports.recall === undefined ? [] : await ports.recall(cueOf(situation));
  const question = questionOf(situation, options, { diary: ports.diary(), recalled });
  const { answer, ...made } = await decide(ports, question, { situation, least: DECISION_TOKENS });
  return { kind: 'choice', of: situationKey(situation), ...made, chosen: answer === null ? null : chosenOf(answer) };
}

async function thinkOfLine(ports: ThinkerPorts, situation: Situation, talk: Talk): Promise<Thought> {
  const question = lineQuestionOf(situation, talk);
  const { answer, ...made } = await decide(ports, question, { situation, least: LINE_TOKENS });
  return { kind: 'line', to: talk.with, ...made, line: answer === null ? null : nextLineOf(answer) };
}

async function decide<A>(
  { complete, stop = NEVER, log }: ThinkerPorts,
  question: Question<A>,
  asked: { readonly situation: Situation; readonly least: number },
): Promise<Omit<Answered<A>, 'failure'>> {
  const { failure, ...answered } = await answerTo(question, { ...asked, complete, name: 'decision', until: stop });
  if (failure !== null) log.warn('no_decision', { reason: failure });
  return answered;
}

const NEVER = new AbortController().signal;
