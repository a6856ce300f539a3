const WORDS: Readonly<Record<string, string>> = {
  idle: 'standing around',
  walking: 'walking',
  sleeping: 'sleeping',
  resting: 'resting',
  drinking_coffee: 'drinking coffee',
  shopping: 'shopping',
  crafting: 'crafting',
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

/** What an agent is doing, to follow "is". */
export function activityWords(activity: string): string {
  return WORDS[activity] ?? activity.replaceAll('_', ' ');
}
