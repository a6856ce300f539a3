import { type AgentEntry, type FrameMessage, WorldStateFrame } from '@hamlet/contract';

type IdOf = (slot: number) => string | undefined;

function named<T extends { agent: number }>(value: T, idOf: IdOf): T {
  const agent_id = idOf(value.agent);
  return agent_id === undefined ? value : { ...value, agent_id };
}

function withIds(message: FrameMessage, idOf: IdOf): FrameMessage {
  switch (message.kind) {
    case 'path':
    case 'turn':
    case 'state':
    case 'speech':
    case 'despawn':
      return named(message, idOf);
    case 'spawn':
      return { ...message, entry: named<AgentEntry>(message.entry, idOf) };
    case 'keyframe':
      return { ...message, agents: message.agents.map((agent) => named(agent, idOf)) };
    default:
      return message;
  }
}

/** For people and tests: adds the ids of agents that `idOf` knows. */
export function frameToJson(frame: WorldStateFrame, idOf: IdOf = () => undefined): string {
  return JSON.stringify({ ...frame, messages: frame.messages.map((message) => withIds(message, idOf)) });
}

export const frameFromJson = (text: string): WorldStateFrame => WorldStateFrame.parse(JSON.parse(text));
