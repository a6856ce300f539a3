import type { ActionBody } from '@hamlet/contract';
import { nameOf, type Decision } from '../brain/decision.ts';
import { didDo } from '../brain/doing.ts';
import type { Situation } from '../brain/situation.ts';
import { itemInWords, quoted, sentence } from '../brain/words.ts';
import type { Acted } from './act.ts';

/** The place that the diary states for a turn: the agent's location or destination, by its name on the map. */
export function placeOfTurn(
  { self, landmarks }: Situation,
  { command }: Pick<Decision, 'command'>,
  acted: Acted,
): { readonly place: string | null; readonly name: string } {
  const destination = (): string | null => {
    if (command.kind === 'move' && acted.outcome === 'accepted')
      return 'landmark_id' in command.body ? command.body.landmark_id : null;
    return self.moving_to === null ? self.landmark_id : self.moving_to.landmark_id;
  };
  const place = destination();
  const landmark = landmarks.find(({ landmark_id }) => landmark_id === place);
  return { place, name: landmark?.name ?? place ?? 'out of doors' };
}

export function diaryEventOf(situation: Situation, decided: Decision, acted: Acted): string | null {
  return isQuiet(acted) ? null : eventOf(situation, decided, acted);
}

type Quiet = Extract<Acted, { outcome: 'none' | 'answering' | 'stale' }>;
const isQuiet = (acted: Acted): acted is Quiet =>
  acted.outcome === 'none' || acted.outcome === 'answering' || acted.outcome === 'stale';

function eventOf(situation: Situation, decided: Decision, acted: Exclude<Acted, Quiet>): string | null {
  switch (acted.outcome) {
    case 'accepted':
      return doneInWords(situation, decided, acted.said);
    case 'written':
      return writtenInWords(decided, acted.text);
    case 'bid':
    case 'bought':
      return tradedInWords(decided, acted);
    case 'refused':
      return refusedInWords(situation, decided, acted.code);
    case 'silent':
      return sentence(`I had no words: ${acted.why}`);
    case 'unknown':
      return sentence(`The village did not answer while I was ${busyWith(decided.goal)}`);
  }
}

/** True for a goal of the rules, such as “gathering wood”. The purpose of a model may be any text, such as “bread”. */
const isDoing = (goal: string): boolean => /^(?:at work|[a-z]+ing)\b/.test(goal);

const busyWith = (goal: string): string => (isDoing(goal) ? goal : `busy with ${quoted(goal)}`);

function writtenInWords({ command }: Decision, text: string): string {
  return command.kind === 'post'
    ? sentence(`I wrote on the board: ${quoted(command.title)}`)
    : sentence(`I replied on the board: ${quoted(text.split('\n')[0] ?? '')}`);
}

function tradedInWords({ command, why }: Decision, acted: Extract<Acted, { outcome: 'bought' | 'bid' }>): string {
  if (acted.outcome === 'bid') return sentence(`I bid ${acted.amount} aiDollars because ${why}`);
  const item = command.kind === 'buy' ? itemInWords(command.item) : 'compute';
  return sentence(`I bought ${item} for ${acted.price} aiDollars because ${why}`);
}

function refusedInWords(situation: Situation, { command, goal }: Decision, code: string): string {
  if (command.kind !== 'act' || command.body.kind !== 'talk')
    return `The village refused it while I was ${busyWith(goal)} (${code}).`;
  const { to } = command.body;
  return `I spoke${to === undefined ? '' : ` to ${nameOfAgent(situation, to)}`}, but my words did not arrive (${code}).`;
}

function doneInWords(situation: Situation, { command, goal, why }: Decision, said = ''): string | null {
  switch (command.kind) {
    case 'move':
      return sentence(
        'landmark_id' in command.body && (goal.startsWith('walking to ') || !isDoing(goal))
          ? `I went to ${nameOf(situation, command.body.landmark_id)} because ${why}`
          : `I was ${busyWith(goal)} because ${why}`,
      );
    case 'act':
      return actInWords(situation, command.body, why);
    case 'answer':
      return sentence(`${command.speaker} said ${quoted(command.prompt, 80)} and I said ${quoted(said, 80)}`);
    default:
      return null;
  }
}

function actInWords(situation: Situation, body: ActionBody, why: string): string {
  switch (body.kind) {
    case 'talk':
      return sentence(
        `I said${body.to === undefined ? '' : ` to ${nameOfAgent(situation, body.to)}`} ${quoted(body.text)}`,
      );
    case 'emote':
      return body.emote === 'smile' ? 'I smiled.' : sentence(`I made a sign (${body.emote}) because ${why}`);
    case 'pick_up':
      return `I picked up the ${kindOf(body.item_id)}.`;
    case 'drop':
      return `I put the ${kindOf(body.item_id)} down.`;
    case 'use':
      return usedInWords(body.target);
    case 'use_board':
      return 'I read the board.';
  }
}

function usedInWords(target: string): string {
  const kind = kindOf(target);
  return didDo(target) ?? WITH_ITEM[kind] ?? `I used the ${kind}.`;
}

const WITH_ITEM: Readonly<Record<string, string>> = {
  coffee: 'I drank the coffee.',
  bread: 'I ate the bread.',
  fish: 'I ate the fish.',
  apple: 'I ate the apple.',
  wood: 'I worked with the wood.',
  flower: 'I smelled the flower.',
  book: 'I read the book.',
  tool: 'I worked with the tool.',
};

const kindOf = (itemId: string): string => itemId.replace(/-\d+$/u, '');

function nameOfAgent({ neighbours }: Situation, agentId: string): string {
  return neighbours.find(({ agent_id }) => agent_id === agentId)?.display_name ?? agentId;
}
