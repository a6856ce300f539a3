import type { StateDocument } from '@hamlet/engine/memory';
import { stateOf, type Entity } from './entity.ts';
import type { LifeStore } from './life-store.ts';

/**
 * A life whose states of the given names are in the state document of the agent's memory, and the rest in its file. A state that the
 * document does not have, because an earlier version kept it in the file, is read from there; a write that the document refuses goes there.
 */
export function withStateDocument<S extends object>(
  life: LifeStore,
  document: StateDocument<S>,
  names: readonly string[],
): LifeStore {
  const isState = ({ name }: Entity): boolean => names.includes(name);
  const write = (states: readonly Entity[]): boolean => {
    const present = document.read();
    const changed = Object.fromEntries(states.map(({ name, observations: [text = ''] }) => [name, JSON.parse(text)]));
    const value = { ...present?.value, ...changed } as S;
    return document.write(value, present?.version ?? 0).outcome === 'written';
  };
  return {
    ...life,
    recall: (name) => {
      const kept = names.includes(name) ? new Map<string, object>(Object.entries(document.read()?.value ?? {})) : null;
      const state = kept?.get(name);
      return state === undefined ? life.recall(name) : stateOf(name, state);
    },
    remember: (...entities) => {
      const states = entities.filter(isState);
      const isKept = states.length === 0 || write(states);
      life.remember(...(isKept ? entities.filter((each) => !isState(each)) : entities));
    },
  };
}
