import { PurchaseItem } from '@hamlet/contract';
import { lengthLabel } from '../../../ui/time-labels.ts';
import { purchaseLabel } from '../../market/item-labels.ts';

/** One turn of an agent in words. `did` and `remembered` are empty if there is nothing to show. */
export interface TurnLabel {
  readonly goal: string;
  readonly why: string;
  readonly saw: string;
  readonly did: string;
  readonly refused: boolean;
  readonly remembered: string;
  readonly wake: string;
}

/** The fields of a turn that its description uses. The resident alone defines their content, so this code assumes no structure. */
export interface TurnParts {
  readonly trigger: 'tick' | 'wake';
  readonly wake?: { readonly kind: string } | undefined;
  readonly perceived: Json;
  readonly decided: Json;
  readonly acted: Json;
  readonly reflected: Json;
}
type Json = Readonly<Record<string, unknown>>;

export function turnLabel(turn: TurnParts): TurnLabel {
  const outcome = textAt(turn.acted, 'outcome');
  return {
    goal: textAt(turn.decided, 'goal') || textAt(turn.decided, 'why') || 'did nothing',
    why: textAt(turn.decided, 'why'),
    saw: perceptionText(turn.perceived),
    did: decisionText(turn),
    refused: outcome === 'refused' || outcome === 'unknown' || outcome === 'silent',
    remembered: textAt(turn.reflected, 'remembered'),
    wake: turn.trigger === 'wake' ? (WAKES[turn.wake?.kind ?? ''] ?? 'was woken') : '',
  };
}

/**
 * The reason for the agent's decision in a turn. If the agent only keeps walking in the turn, it is the reason of the
 * earlier turn that set out for the same goal.
 * @param turns newest first
 */
export function reasonOf(turns: readonly Pick<TurnParts, 'decided'>[], at: number): string {
  const turn = turns[at];
  if (turn === undefined) return '';
  const own = textAt(turn.decided, 'why');
  if (textAt(objectAt(turn.decided, 'command'), 'kind') === 'move') return own;
  const goal = textAt(turn.decided, 'goal');
  for (const earlier of turns.slice(at + 1)) {
    const moves = textAt(objectAt(earlier.decided, 'command'), 'kind') === 'move';
    if (textAt(earlier.decided, 'goal') !== goal) return own;
    if (moves && own === ON_THE_WAY) return textAt(earlier.decided, 'why');
  }
  return own;
}

/** The reason that the resident records for a turn in which it only keeps walking. */
const ON_THE_WAY = 'I am on my way';

const WAKES: Readonly<Record<string, string>> = {
  spoken_to: 'was spoken to',
  arrived: 'arrived',
  handed: 'was given something',
  item_seen: 'saw something lying there',
  met: 'met a neighbour',
};

function decisionText({ decided, acted }: TurnParts): string {
  const said = textAt(acted, 'said');
  switch (textAt(acted, 'outcome')) {
    case 'refused':
      return `Refused: ${textAt(acted, 'detail') || textAt(acted, 'code')}`;
    case 'silent':
      return `Said nothing: ${textAt(acted, 'why')}`;
    case 'unknown':
      return `No answer: ${textAt(acted, 'why')}`;
    case 'none':
      return 'Stayed.';
    case 'written':
      return writtenText(objectAt(decided, 'command'));
    case 'bought':
      return `Bought ${boughtText(objectAt(decided, 'command'))} for ${textAt(acted, 'price')} aiDollars.`;
    case 'bid':
      return `Bid ${textAt(acted, 'amount')} aiDollars.`;
    default:
      return said === '' ? commandText(objectAt(decided, 'command')) : `Said “${said}”`;
  }
}

function writtenText(command: Json): string {
  if (textAt(command, 'kind') === 'reply') return 'Replied on the board.';
  const title = textAt(command, 'title');
  return title === '' ? 'Wrote on the board.' : `Wrote “${title}” on the board.`;
}

/** The item of a purchase and its duration; `compute` if the turn does not name the item. */
function boughtText({ item, seconds }: Json): string {
  const read = PurchaseItem.safeParse(item);
  if (!read.success) return 'compute';
  return `${purchaseLabel(read.data)}${typeof seconds === 'number' && seconds > 0 ? ` (${lengthLabel(seconds * 1000)})` : ''}`;
}

function commandText(command: Json): string {
  const body = objectAt(command, 'body');
  const landmark = textAt(body, 'landmark_id');
  if (textAt(command, 'kind') === 'move') return landmark === '' ? 'Walked.' : `Walked to ${landmark}.`;
  const text = textAt(body, 'text');
  const kind = textAt(body, 'kind').replaceAll('_', ' ');
  if (text !== '') return `Said “${text}”`;
  const object = textAt(body, 'item_id') || textAt(body, 'target') || textAt(body, 'emote');
  return kind === '' ? '' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${object}`.trim();
}

function perceptionText(perceived: Json): string {
  const world = objectAt(perceived, 'world');
  const count = (key: string): number => {
    const list = world[key];
    return Array.isArray(list) ? list.length : 0;
  };
  const people = count('neighbours');
  const things = count('items');
  const parts = [
    people === 0 ? 'no neighbour near' : people === 1 ? 'one neighbour' : `${people} neighbours`,
    things === 0 ? '' : things === 1 ? 'one thing in reach' : `${things} things in reach`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function textAt(object: Json, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

function objectAt(object: Json, key: string): Json {
  const value = object[key];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
