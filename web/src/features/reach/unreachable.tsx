import { useState } from 'react';
import { showsMap } from '../../client/url-state.ts';
import { Button, Icon, Notice, useNow } from '../../ui/controls.tsx';
import { secondTime } from '../../ui/time-labels.ts';
import { useVillageState } from '../village-context.ts';

/** A request may fail once between two that are answered; the list of agents is read every 4 s. */
const NOTICE_AFTER_MS = 5_000;
/** A page that has waited this long for its first answers says so. */
const SLOW_MS = 5_000;

const timeOf = (atMs: number): string => secondTime(new Date(atMs).toISOString());

/** Says that the API does not answer, on pages that still show what they know. */
export function UnreachableNotice() {
  const since = useVillageState(({ place, loading, unreachableSince }) =>
    loading === 'ready' || !showsMap(place.view) ? unreachableSince : null,
  );
  return since === null ? null : <LastingNotice since={since} />;
}

function LastingNotice({ since }: { readonly since: number }) {
  const now = useNow(1_000);
  if (now - since < NOTICE_AFTER_MS) return null;
  return (
    <Notice tone="waiting" icon="offline" role="alert" data-notice="unreachable">
      <b>The API has not answered since {timeOf(since)}.</b> You see what this page knew then. It tries again by itself.
    </Notice>
  );
}

/** Covers the map while it loads. Without an answer, or after a failure, it shows the reason and the next step. */
export function LoadingScreen({ onRetry }: { readonly onRetry: () => void }) {
  const loading = useVillageState((state) => state.loading);
  const missedSince = useVillageState((state) => state.unreachableSince);
  const [startMs] = useState(() => Date.now());
  const now = useNow(1_000);
  if (missedSince !== null)
    return (
      <FailedScreen
        title="The API is unreachable"
        detail={`It has not answered since ${timeOf(missedSince)}. This page tries again by itself.`}
        onRetry={onRetry}
      />
    );
  if (typeof loading !== 'string') return <FailedScreen {...loading.failed} onRetry={onRetry} />;
  if (now - startMs >= SLOW_MS)
    return (
      <FailedScreen
        title="The village is slow to answer"
        detail={`This page has waited for the map and the agents since ${timeOf(startMs)}. It continues by itself.`}
        onRetry={onRetry}
      />
    );
  return (
    <div className="screen" role="status">
      <span className="spinner" aria-hidden="true" />
      <h1>Walking to the village…</h1>
      <p>Loading the map and its agents.</p>
    </div>
  );
}

type FailedProps = Readonly<{ title: string; detail: string; onRetry: () => void }>;

function FailedScreen({ title, detail, onRetry }: FailedProps) {
  return (
    <div className="screen" role="alert">
      <span className="screen-mark">
        <Icon name="alert" size={30} />
      </span>
      <h1>{title}</h1>
      <p>{detail}</p>
      <p className="hint">
        Is the API running? <code>make dev</code> starts it here, <code>kubectl get pods</code> shows it in a cluster.
      </p>
      <Button look="strong" word="Try again" onClick={onRetry} />
    </div>
  );
}
