import { RunFailure } from '@hamlet/engine';
import type { AgentRuntime, Deed, RunWork } from '@hamlet/engine';
import { NO_MODEL, noModelWords, WHAT_I_UNDERSTAND } from './brain/no-model.ts';
import { greeting, reply } from './brain/speech.ts';
import { listed, quoted } from './brain/words.ts';
import { readWishes } from './brain/wish/read-wishes.ts';
import type { Reading, Wish } from './brain/wish/wish.ts';

/**
 * The runtime of an agent without a language model. It answers speech with sentences from a list, chosen by seed. For a run it does what a list of
 * sentence patterns finds in the prompt, in order, and names the parts that it did not understand. A run without any part that it understands fails
 * with `no_model`: nothing was done.
 */
export function createScriptedRuntime(): AgentRuntime {
  return {
    initialize: async () => {},
    execute: async (prompt, { seed, speaker, plan, work }) =>
      work === null ? reply(seed, prompt, { speaker, plan }) : carryOut(prompt, work, seed),
    terminate: async () => {},
  };
}

async function carryOut(prompt: string, work: RunWork, seed: number): Promise<string> {
  const here = await work.surroundings();
  const readings = readWishes(prompt, here);
  if (readings.every(({ wishes }) => wishes.length === 0)) throw new RunFailure(NO_MODEL, noModelWords(prompt));
  const told: string[] = [];
  for (const wish of readings.flatMap(({ wishes }) => wishes)) {
    for (const deed of await grant(wish, work, {
      seed,
      nameOf: (id) => here.agents.find((agent) => agent.id === id)?.name ?? id,
    })) {
      told.push(deed.text);
      if (deed.outcome === 'failed') throw new RunFailure('step_failed', `${deed.text} I stopped there.`);
    }
  }
  return [...told, ...notUnderstood(readings)].join(' ');
}

function notUnderstood(readings: readonly Reading[]): readonly string[] {
  const parts = readings.filter(({ wishes }) => wishes.length === 0).map(({ words }) => quoted(words));
  return parts.length === 0
    ? []
    : [
        `I did not understand ${listed(parts)}, and did nothing about ${parts.length === 1 ? 'it' : 'them'}. ${WHAT_I_UNDERSTAND}`,
      ];
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
      return inOrder([
        () => work.find(wish.agentId),
        () =>
          work.say(
            greeting({ seed: manner.seed, phase: 'day', place: null }, manner.nameOf(wish.agentId)).text,
            wish.agentId,
          ),
      ]);
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
