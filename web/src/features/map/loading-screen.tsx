import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useVillageState } from '../village-context.ts';

/** Covers the map while it loads. After a failure it shows the reason and the next step. */
export function LoadingScreen({ onRetry }: { readonly onRetry: () => void }): ReactElement {
  const loading = useVillageState((state) => state.loading);
  if (typeof loading === 'string') {
    return (
      <div className="screen" role="status">
        <span className="spinner" aria-hidden="true" />
        <h1>Walking to the village…</h1>
        <p>Loading the map and its agents.</p>
      </div>
    );
  }
  const { refused } = loading.failed === undefined ? { refused: null } : { refused: loading.failed };
  return (
    <div className="screen" role="alert">
      <span className="screen-mark">
        <Icon name="alert" size={30} />
      </span>
      <h1>{refused?.title}</h1>
      <p>{refused?.detail}</p>
      <p className="hint">
        Is the API running? <code>make dev</code> starts it here, <code>kubectl get pods</code> shows it in a cluster.
      </p>
      <Button look="strong" word="Try again" onClick={onRetry} />
    </div>
  );
}
