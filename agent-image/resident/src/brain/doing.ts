import type { Activity, Affordance, AgentView, Landmark } from '@hamlet/contract';

/** Each thing that can be done at a place, as it follows "where one can", and as a sentence once it is done. */
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

/** What can be done somewhere, after "where one can". */
export function mayDo(use: Affordance): string {
  return DOING[use].may;
}

/** What was done there, as a sentence; of an unknown use, null. */
export function didDo(use: string): string | null {
  return Object.entries(DOING).find(([name]) => name === use)?.[1].did ?? null;
}

/** What an agent is about where it stands, in words that follow "I am"; null while it walks or stands out of doors. */
export function doingHere(
  { moving_to, landmark_id, activity }: Pick<AgentView, 'moving_to' | 'landmark_id' | 'activity'>,
  landmarks: readonly Pick<Landmark, 'landmark_id' | 'name'>[],
): string | null {
  const place = moving_to === null ? landmarks.find((landmark) => landmark.landmark_id === landmark_id) : undefined;
  return place === undefined ? null : `${ACTIVITY[activity]} at ${place.name}`;
}
