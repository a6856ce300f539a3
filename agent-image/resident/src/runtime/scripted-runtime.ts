import { doneWith, RunFailure, type AgentRuntime, type ToolResult, type RunWork } from '@hamlet/engine';
import type { Reading, Wish } from '../brain/read-wishes.ts';
import { NO_MODEL, noModelWords, readWishes, WHAT_I_UNDERSTAND } from '../brain/read-wishes.ts';
import { greeting, reply } from '../brain/speech.ts';
import { listed, quoted } from '../brain/words.ts';

/**
 * The runtime of an agent without a language model. It answers speech with sentences chosen by seed. It carries out the parts of
 * a prompt that its patterns match, and lists the others in the summary; if no part matches, the run fails with `no_model`.
 */
export function createScriptedRuntime(): AgentRuntime {
  return {
    initialize: async () => {},
    execute: async (input, { seed, speaker, plan }) =>
      doneWith(
        input.kind === 'speech'
          ? reply(seed, input.text, { speaker, plan })
          : await carryOut(input.text, input.work, seed),
      ),
    terminate: async () => {},
  };
}

async function carryOut(prompt: string, work: RunWork, seed: number): Promise<string> {
  const here = await work.surroundings();
  const readings = readWishes(prompt, here);
  if (readings.every(({ wishes }) => wishes.length === 0)) throw new RunFailure(NO_MODEL, noModelWords(prompt));
  const nameOf = (id: string) => here.agents.find((agent) => agent.id === id)?.name ?? id;
  const hello = (agentId: string) => greeting({ seed, phase: 'day', place: null }, nameOf(agentId)).text;
  const report: string[] = [];
  for (const wish of readings.flatMap(({ wishes }) => wishes)) {
    for (const call of callsFor(wish, work, hello)) {
      const { outcome, text } = await call();
      report.push(text);
      if (outcome === 'failed') throw new RunFailure('step_failed', `${text} I stopped there.`);
    }
  }
  return [...report, ...notUnderstood(readings)].join(' ');
}

function notUnderstood(readings: readonly Reading[]): readonly string[] {
  const parts = readings.filter(({ wishes }) => wishes.length === 0).map(({ words }) => quoted(words));
  if (parts.length === 0) return [];
  const them = parts.length === 1 ? 'it' : 'them';
  return [`I did not understand ${listed(parts)}, and did nothing about ${them}. ${WHAT_I_UNDERSTAND}`];
}

function callsFor(
  wish: Wish,
  work: RunWork,
  hello: (agentId: string) => string,
): readonly (() => Promise<ToolResult>)[] {
  switch (wish.kind) {
    case 'go':
      return [() => work.go(wish.placeId)];
    case 'use':
      return [() => work.go(wish.placeId), () => work.use()];
    case 'find':
      return [() => work.find(wish.agentId)];
    case 'greet':
      return [() => work.find(wish.agentId), () => work.say(hello(wish.agentId), wish.agentId)];
    case 'tell':
      return [() => work.find(wish.agentId), () => work.say(wish.text, wish.agentId)];
    case 'say':
      return [() => work.say(wish.text, null)];
    case 'look':
      return [() => work.look()];
    case 'recall':
      return [() => work.recall()];
    case 'forget':
      return [() => work.forget()];
  }
}
