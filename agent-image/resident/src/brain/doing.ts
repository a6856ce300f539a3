import type { ActionBody, Activity, Affordance, AgentView, Landmark } from '@hamlet/contract';
import { placeOf } from './situation.ts';
import { placeInWords } from './words.ts';

/** Words for each use of a place: `may` follows "where one can"; `did` is a sentence in the past tense. */
const DOING: Readonly<Record<Affordance, { readonly may: string; readonly did: string }>> = {
  sleep: { may: 'sleep', did: 'I went to bed.' },
  rest: { may: 'rest', did: 'I lay down to rest.' },
  coffee: { may: 'have coffee', did: 'I got a coffee.' },
  bread: { may: 'get bread', did: 'I got some bread.' },
  craft: { may: 'make things', did: 'I worked at the bench.' },
  read: { may: 'read', did: 'I read a while.' },
  water: { may: 'draw water', did: 'I drew water.' },
  fish: { may: 'fish', did: 'I fished.' },
  tend: { may: 'tend the plants', did: 'I tended the plants.' },
  gather_wood: { may: 'gather wood', did: 'I gathered wood.' },
  sit: { may: 'sit', did: 'I sat down.' },
  board: { may: 'read the board', did: 'I read the board.' },
  meet: { may: 'meet others', did: 'I waited for company.' },
  stargaze: { may: 'watch the stars', did: 'I watched the stars.' },
};

const ACTIVITY: Readonly<Record<Activity, string>> = {
  idle: 'spending time',
  walking: 'walking',
  sleeping: 'sleeping',
  resting: 'resting',
  drinking_coffee: 'having coffee',
  shopping: 'getting bread',
  crafting: 'working',
  reading: 'reading',
  drawing_water: 'drawing water',
  fishing: 'fishing',
  tending: 'tending the plants',
  gathering_wood: 'gathering wood',
  sitting: 'sitting',
  at_board: 'reading the board',
  meeting: 'waiting for company',
  stargazing: 'watching the stars',
  eating: 'eating',
  drinking: 'drinking',
  smelling: 'smelling a flower',
  working: 'working',
};

export const mayDo = (use: Affordance): string => DOING[use].may;

export function didDo(use: string): string | null {
  return Object.entries(DOING).find(([name]) => name === use)?.[1].did ?? null;
}

export function doingHere(self: AgentView, landmarks: readonly Landmark[]): string | null {
  const place = placeOf({ self, landmarks });
  return place === undefined ? null : `${ACTIVITY[self.activity]} at ${placeInWords(place)}`;
}

export function actionAt({ affordances: [use] }: Pick<Landmark, 'affordances'>): ActionBody {
  if (use === undefined) return { kind: 'emote', emote: 'think' };
  return use === 'board' ? { kind: 'use_board' } : { kind: 'use', target: use };
}
