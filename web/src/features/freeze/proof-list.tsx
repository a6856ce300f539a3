import type { VillageFreeze } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { proofLines } from './freeze-words.ts';

/** When money last moved, a model was last asked and a run last began. */
export function ProofList({ freeze }: { readonly freeze: VillageFreeze }): ReactElement {
  return (
    <dl className="freeze-proof">
      {proofLines(freeze).map(({ key, what, when, at, holds }) => (
        <div key={key} data-proof={key} data-holds={holds}>
          <dt>
            <Icon name={holds ? 'check' : 'alert'} size={14} />
            {what}
          </dt>
          <dd>{at === null ? when : <time dateTime={at}>{when}</time>}</dd>
        </div>
      ))}
    </dl>
  );
}
