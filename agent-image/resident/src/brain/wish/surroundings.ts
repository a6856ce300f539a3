import type { AgentView, WorldView } from '@hamlet/contract';
import type { Surroundings } from '@hamlet/engine';
import { listed } from '../words.ts';
import { tilesBetween } from '../distance.ts';
import { PERCEPTION_TILES } from '../perceive.ts';

/** The village as a runtime may speak of it; null while the agent is not in it. Pure. */
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

/** What an agent sees from where it is, in one or two sentences. Pure. */
export function sightOf({ landmarks, agents, items, time }: WorldView, self: AgentView): string {
  const near = ({ position }: { readonly position: AgentView['position'] | null }): boolean =>
    position !== null && tilesBetween(position, self.position) <= PERCEPTION_TILES;
  const place = landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id)?.name ?? 'out of doors';
  const company = agents
    .filter((agent) => agent !== self && agent.power === 'Awake' && near(agent))
    .map(({ display_name }) => display_name);
  const things = items.filter(near).map(({ kind }) => kind);
  const clock = `${String(Math.floor(time.minute / 60)).padStart(2, '0')}:${String(time.minute % 60).padStart(2, '0')}`;
  const seen = company.length === 0 ? 'I see nobody' : `I see ${listed(company)}`;
  return `It is ${clock} and I am at ${place}. ${seen}${things.length === 0 ? '' : `; lying about: ${listed([...new Set(things)])}`}.`.replace(
    'at out of doors',
    'out of doors',
  );
}
