import { RunFailure } from '@hamlet/engine';
import type { AgentRuntime, Deed, RunWork } from '@hamlet/engine';
import { greeting, reply } from './brain/speech.ts';
import { readWishes } from './brain/wish/read-wishes.ts';
import type { Reading, Wish } from './brain/wish/wish.ts';

/** What it says of itself where it could not do something. */
export const ABILITIES = 'I have no language model: I can go to a place, say something, find, greet or tell somebody, use a place, and look around.';

/**
 * The runtime of an agent without a language model. To who speaks it answers with sentences from a list, chosen by seed. For a run it does what a
 * list of sentence patterns can read in the prompt, in order, and says which parts it could only read.
 */
export function createScriptedRuntime(): AgentRuntime {
  return {
    initialize: async () => {},
    execute: async (prompt, { seed, speaker, plan, work }) => (work === null ? reply(seed, prompt, { speaker, plan }) : carryOut(prompt, work, seed)),
    terminate: async () => {},
  };
}

async function carryOut(prompt: string, work: RunWork, seed: number): Promise<string> {
  const here = await work.surroundings();
  const readings = readWishes(prompt, here);
  const told: string[] = [];
  for (const wish of readings.flatMap(({ wishes }) => wishes)) {
    for (const deed of await grant(wish, work, { seed, nameOf: (id) => here.agents.find((agent) => agent.id === id)?.name ?? id })) {
      told.push(deed.text);
      if (deed.outcome === 'failed') throw new RunFailure('step_failed', `${deed.text} I stopped there.`);
    }
  }
  return [...told, ...onlyRead(readings)].join(' ');
}

function onlyRead(readings: readonly Reading[]): readonly string[] {
  const unread = readings.filter(({ wishes }) => wishes.length === 0).map(({ words }) => `“${words}”`);
  if (readings.length === 0) return ['There was nothing to read.'];
  return unread.length === 0 ? [] : [`I could only read: ${unread.join(', ')}. ${ABILITIES}`];
}

interface Manner {
  readonly seed: number;
  readonly nameOf: (agentId: string) => string;
}

/** Does what a wish takes, deed by deed, until one fails. */
async function grant(wish: Wish, work: RunWork, manner: Manner): Promise<readonly Deed[]> {
  switch (wish.kind) {
    case 'go':
      return [await work.go(wish.placeId)];
    case 'use':
      return inOrder([() => work.go(wish.placeId), () => work.use()]);
    case 'find':
      return [await work.find(wish.agentId)];
    case 'greet':
      return inOrder([() => work.find(wish.agentId), () => work.say(greeting({ seed: manner.seed, phase: 'day', place: null }, manner.nameOf(wish.agentId)), wish.agentId)]);
    case 'tell':
      return inOrder([() => work.find(wish.agentId), () => work.say(wish.text, wish.agentId)]);
    case 'say':
      return [await work.say(wish.text, null)];
    case 'look':
      return [await work.look()];
  }
}

async function inOrder(deeds: readonly (() => Promise<Deed>)[]): Promise<readonly Deed[]> {
  const outcomes: Deed[] = [];
  for (const deed of deeds) {
    const outcome = await deed();
    outcomes.push(outcome);
    if (outcome.outcome === 'failed') break;
  }
  return outcomes;
}
