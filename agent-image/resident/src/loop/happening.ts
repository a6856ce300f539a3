import type { ActionBody } from '@hamlet/contract';
import { didDo } from '../brain/doing.ts';
import { nameOf } from '../brain/rules/decision.ts';
import type { Decision, Situation } from '../brain/situation.ts';
import { itemInWords } from '../brain/trade/wants.ts';
import { quoted, sentence } from '../brain/words.ts';
import type { Acted } from './act.ts';

/** Where a turn belongs in the diary: the place where the agent is or, once it sets out, goes to. */
export function placeOfTurn(
  situation: Situation,
  { command }: Pick<Decision, 'command'>,
  acted: Acted,
): { readonly place: string | null; readonly name: string } {
  const { self } = situation;
  const setOut = command.kind === 'move' && acted.outcome === 'accepted';
  const place = setOut
    ? 'landmark_id' in command.body
      ? command.body.landmark_id
      : null
    : self.moving_to === null
      ? self.landmark_id
      : self.moving_to.landmark_id;
  return { place, name: place === null ? 'out of doors' : nameOf(situation, place) };
}

type Done = Extract<Acted, { outcome: 'accepted' | 'written' | 'bought' | 'bid' }>;

/** What happened in a turn, as one sentence of the diary; null where nothing did. Pure. */
export function happeningOf(situation: Situation, decided: Decision, acted: Acted): string | null {
  switch (acted.outcome) {
    case 'accepted':
      return doneInWords(situation, decided, acted.said ?? '');
    case 'written':
      return decided.command.kind === 'post'
        ? sentence(`I wrote on the board: ${quoted(decided.command.title)}`)
        : sentence(`I replied on the board: ${quoted(acted.text.split('\n')[0] ?? '')}`);
    case 'bought':
    case 'bid':
      return tradedInWords(decided, acted);
    default:
      return undoneInWords(situation, decided, acted);
  }
}

function undoneInWords(situation: Situation, { command, goal }: Decision, acted: Exclude<Acted, Done>): string | null {
  switch (acted.outcome) {
    case 'none':
    case 'stale':
      return null;
    case 'refused':
      return command.kind === 'act' && command.body.kind === 'talk'
        ? notHeard(situation, command.body.to, acted.code)
        : `I could not go on while I was ${goal} (${acted.code}).`;
    case 'silent':
      return sentence(`I had no words: ${acted.why}`);
    case 'unknown':
      return `The village did not answer while I was ${goal}.`;
  }
}

/** Words that the village did not carry to anybody. */
function notHeard(situation: Situation, to: string | undefined, code: string): string {
  return `I spoke${to === undefined ? '' : ` to ${nameOfAgent(situation, to)}`}, and was not heard (${code}).`;
}

function tradedInWords({ command, why }: Decision, acted: Extract<Acted, { outcome: 'bought' | 'bid' }>): string {
  if (acted.outcome === 'bid') return sentence(`I bid ${acted.amount} aiDollars because ${why}`);
  return sentence(
    `I bought ${command.kind === 'buy' ? itemInWords(command.item) : 'compute'} for ${acted.price} aiDollars because ${why}`,
  );
}

function doneInWords(situation: Situation, { command, goal, why }: Decision, said: string): string | null {
  switch (command.kind) {
    case 'move':
      return sentence(
        'landmark_id' in command.body && goal.startsWith('walking to ')
          ? `I went to ${nameOf(situation, command.body.landmark_id)} because ${why}`
          : `I was ${goal} because ${why}`,
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

/** An item's id says what it is: `apple-17`. */
function kindOf(itemId: string): string {
  return itemId.replace(/-\d+$/u, '');
}

function nameOfAgent({ neighbours }: Situation, agentId: string): string {
  return neighbours.find(({ agent_id }) => agent_id === agentId)?.display_name ?? agentId;
}
