import type { StateDocument } from '@hamlet/engine/memory';
import { stateOf, type Entity } from './entity.ts';
import type { LifeStore } from './life-store.ts';

/**
 * A life whose states of the given names are in the state document of the agent's memory, and the rest in its file. A state that the
 * document does not have, because an earlier version kept it in the file, is read from there; a write that the document refuses goes there.
 */
export function withStateDocument<T extends object>(
  life: LifeStore,
  document: StateDocument<Partial<T>>,
  names: readonly (keyof T & string)[],
): LifeStore {
  const isState = ({ name }: Entity): boolean => names.some((each) => each === name);
  const kept = (): Partial<T> => document.read()?.value ?? {};
  const write = (states: readonly Entity[]): boolean => {
    const present = document.read();
    const changed = Object.fromEntries(states.map(({ name, observations: [text = ''] }) => [name, JSON.parse(text)]));
    const value = { ...present?.value, ...changed } as Partial<T>;
    return document.write(value, present?.version ?? 0).outcome === 'written';
  };
  return {
    ...life,
    recall: (name) => {
      const state = (kept() as Readonly<Record<string, object | undefined>>)[name];
      return state !== undefined && names.some((each) => each === name) ? stateOf(name, state) : life.recall(name);
    },
    remember: (...entities) => {
      const states = entities.filter(isState);
      const isKept = states.length === 0 || write(states);
      life.remember(...(isKept ? entities.filter((each) => !isState(each)) : entities));
    },
  };
}
