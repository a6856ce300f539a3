import { showModels } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';

const EVERY_MS = 60_000;
const HINT = 'This village has no language model now: its agents speak sentences from a list';

/** True while no language model answers in the village; null before the first answer. */
export function useScriptedOnly(): boolean | null {
  const live: Live<{ readonly scripted_only: boolean }> = useLive(showModels, {}, EVERY_MS);
  return live.data?.scripted_only ?? null;
}

/** A label for text of agents without a known runtime; renders nothing in a village with a model. */
export function VillageMark({ word }: { readonly word?: string }) {
  return useScriptedOnly() === true ? <ScriptedMark hint={HINT} {...(word === undefined ? {} : { word })} /> : null;
}

export function ScriptedMark({ word = 'scripted', hint }: Readonly<{ word?: string; hint: string }>) {
  return (
    <span className="scripted" title={hint}>
      {word}
    </span>
  );
}
