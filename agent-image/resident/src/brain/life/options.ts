import { EARSHOT_TILES, REACH_TILES } from '@hamlet/contract/resident';
import type { Landmark } from '@hamlet/contract';
import { isOpenTo } from '../day-plan.ts';
import { goTo, isPaused, keyOf, STAY, type Command } from '../decision.ts';
import { mayDo } from '../doing.ts';
import { placeOf, tilesBetween, type Situation } from '../situation.ts';
import { fitting } from '../speech.ts';
import { placeInWords } from '../words.ts';
import type { Chosen } from './life-mind.ts';
import { mayBegin } from './talk.ts';

/** Maximum number of agents to speak to, and of items to take, that a model may choose from; the nearest ones. */
const NEAREST_MAX = 6;
const TITLE_MAX_CHARS = 120;
/** Minimum time between two board questions that the agent decides to ask: ten minutes. */
export const ASK_GAP_TICKS = 6_000;

export interface Option {
  readonly id: string;
  readonly words: string;
  readonly needs: 'nothing' | 'text' | 'title and text';
}

/** Everything that is possible here and now, except options that the village has recently refused. Pure. */
export function optionsOf(situation: Situation): readonly Option[] {
  const options = [
    option('stay', 'stay here and let the hour pass'),
    ...placesToGo(situation),
    ...usesHere(situation),
    ...agentsToTalkTo(situation),
    ...itemsToTake(situation),
    ...questions(situation),
  ];
  return options.filter(({ id }) => {
    const command = commandOf(situation, { option: id, text: '', title: '', why: '' });
    return command !== null && !isPaused(situation, keyOf(command));
  });
}

const option = (id: string, words: string, needs: Option['needs'] = 'nothing'): Option => ({ id, words, needs });

function placesToGo({ self, landmarks, character }: Situation): readonly Option[] {
  const mayEnter = (place: Landmark): boolean =>
    place.landmark_id === character.home || (place.kind !== 'home' && isOpenTo(character, place));
  return landmarks
    .filter((place) => place.landmark_id !== self.landmark_id && mayEnter(place))
    .map((place) => option(`go:${place.landmark_id}`, `walk to ${placeInWords(place)}`));
}

function usesHere(situation: Situation): readonly Option[] {
  const uses = placeOf(situation)?.affordances ?? [];
  return uses.filter((use) => use !== 'sleep').map((use) => option(`use:${use}`, mayDo(use)));
}

function agentsToTalkTo(situation: Situation): readonly Option[] {
  const { self, neighbours } = situation;
  return neighbours
    .filter(({ position }) => tilesBetween(position, self.position) <= EARSHOT_TILES)
    .filter(({ agent_id }) => mayBegin(situation, agent_id))
    .slice(0, NEAREST_MAX)
    .map(({ agent_id, display_name }) => option(`talk:${agent_id}`, `speak to ${display_name}`, 'text'));
}

function itemsToTake({ self, items }: Situation): readonly Option[] {
  return items
    .filter(({ position }) => tilesBetween(position, self.position) <= REACH_TILES)
    .slice(0, NEAREST_MAX)
    .map(({ item_id, kind }) => option(`take:${item_id}`, `pick up the ${kind}`));
}

function questions({ mind: { life }, tick }: Situation): readonly Option[] {
  if (life.askedAt !== null && tick - life.askedAt < ASK_GAP_TICKS) return [];
  return [option('ask', 'ask the village on the board for help, or for something you want to know', 'title and text')];
}

type Choice = Pick<Chosen, 'option' | 'text' | 'title' | 'why'>;

type CommandOf = (situation: Situation, object: string, words: { title: string; text: string; why: string }) => Command;

const COMMANDS: Readonly<Record<string, CommandOf>> = {
  stay: () => STAY,
  go: (situation, place) => goTo(situation, place),
  use: (_, use) => ({ kind: 'act', body: use === 'board' ? { kind: 'use_board' } : { kind: 'use', target: use } }),
  talk: (_, to, { text }) => ({ kind: 'act', body: { kind: 'talk', to, text: fitting(text) } }),
  take: (_, item) => ({ kind: 'act', body: { kind: 'pick_up', item_id: item } }),
  ask: (_, __, words) => question(words),
};

export function commandOf(situation: Situation, { option: id, text, title, why }: Choice): Command | null {
  const [kind, object] = splitOnce(id);
  return COMMANDS[kind]?.(situation, object, { title: title ?? '', text: text ?? '', why }) ?? null;
}

function splitOnce(id: string): readonly [string, string] {
  const at = id.indexOf(':');
  return at < 0 ? [id, ''] : [id.slice(0, at), id.slice(at + 1)];
}

function question(words: { readonly title: string; readonly text: string; readonly why: string }): Command {
  const { title, text, why } = words;
  return {
    kind: 'post',
    subject: `life:${title.slice(0, TITLE_MAX_CHARS)}`,
    audience: 'public',
    title: title.slice(0, TITLE_MAX_CHARS),
    tags: ['question'],
    occasion: { prompt: why, fallback: text, facts: '', written: text },
  };
}
