import type { ReactElement } from 'react';
import type { TierEffects } from './tier-effects.ts';

/** Agents that are named one by one. */
const NAMED = 8;

/** What is otherwise once the tier is written, who moves by it, and what becomes of pods. */
export function EffectList({
  effects,
  isNew,
}: {
  readonly effects: TierEffects | null;
  readonly isNew: boolean;
}): ReactElement {
  return (
    <section className="ahead tier-effects" aria-label="What changes" aria-live="polite">
      <h3 className="section-name">{isNew ? 'What is made' : 'What changes'}</h3>
      {effects === null && <p className="hint">Nothing can be written yet: something is missing or wrong.</p>}
      {effects !== null && effects.lines.length === 0 && <p className="hint">Nothing. This is the tier as it is.</p>}
      {effects !== null && effects.lines.length > 0 && (
        <dl className="change-lines">
          {effects.lines.map(({ what, from, to }) => (
            <div key={what} data-change={what}>
              <dt>{what}</dt>
              <dd>
                {!isNew && (
                  <>
                    {from} <span aria-hidden="true">→</span>
                    <span className="sr-only">becomes</span>{' '}
                  </>
                )}
                <b>{to}</b>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {effects !== null && effects.lines.length > 0 && <Consequences effects={effects} />}
    </section>
  );
}

function Consequences({ effects: { moves, pods, at } }: { readonly effects: TierEffects }): ReactElement {
  return (
    <ul className="consequences">
      {at > 0 && (
        <li>
          {at === 1 ? 'One agent is' : `${at} agents are`} awake at this tier. {pods}
        </li>
      )}
      {moves.slice(0, NAMED).map(({ agent, name, from, to }) => (
        <li key={agent} data-move={agent}>
          <b>{name}</b> goes from {from ?? 'no tier'} to {to ?? 'no tier'} by its balance.
        </li>
      ))}
      {moves.length > NAMED && <li>And {moves.length - NAMED} more go to another tier.</li>}
      {moves.length === 0 && <li>Nobody goes to another tier by it.</li>}
    </ul>
  );
}
