import type { AgentView, WorldView } from '@hamlet/contract';
import type { Surroundings } from '@hamlet/engine';
import { PERCEPTION_TILES, tilesBetween } from '../brain/situation.ts';
import { clockInWords, listed, placeInWords } from '../brain/words.ts';

/** The places and agents of the village, for a runtime; null while the agent is not in the world. */
export function surroundingsOf({ landmarks, agents }: WorldView, agentId: string): Surroundings | null {
  const self = agents.find(({ agent_id }) => agent_id === agentId);
  if (self === undefined) return null;
  return {
    places: landmarks.map(({ landmark_id: id, name, kind }) => ({ id, name, kind })),
    agents: agents.filter((agent) => agent !== self).map(({ agent_id: id, display_name: name }) => ({ id, name })),
    home: self.home,
    place: self.moving_to === null ? self.landmark_id : null,
  };
}

export function sightOf({ landmarks, agents, items, time }: WorldView, self: AgentView): string {
  const near = ({ position }: { readonly position: AgentView['position'] | null }): boolean =>
    position !== null && tilesBetween(position, self.position) <= PERCEPTION_TILES;
  const place = landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  const company = agents
    .filter((agent) => agent !== self && agent.power === 'Awake' && near(agent))
    .map(({ display_name }) => display_name);
  const things = [...new Set(items.filter(near).map(({ kind }) => kind))];
  const where = place === undefined ? 'out of doors' : `at ${placeInWords(place)}`;
  const seen = company.length === 0 ? 'I see nobody' : `I see ${listed(company)}`;
  const lying = things.length === 0 ? '' : `; on the ground: ${listed(things)}`;
  return `It is ${clockInWords(time.minute)} and I am ${where}. ${seen}${lying}.`;
}
