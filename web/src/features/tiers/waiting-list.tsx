import type { ReactElement } from 'react';
import { timeAgo } from '../../ui/time-words.ts';
import { adviceOf } from '../inspector/condition-words.ts';
import { Face } from './tier-card.tsx';
import type { Waiting } from './tier-picture.ts';

/** Who waits for a seat, and why; nothing where nobody does. */
export function WaitingList({ waiting }: { readonly waiting: readonly Waiting[] }): ReactElement | null {
  if (waiting.length === 0) return null;
  return (
    <section className="card waiting" aria-label="Waiting for a seat">
      <h2>
        Waiting for a seat <span className="count">{waiting.length}</span>
      </h2>
      <ol>
        {waiting.map(({ agent, reason, message, since }) => (
          <li key={agent.agent_id} className="waiting-row" data-reason={reason}>
            <Face agent={agent} />
            <span>
              <code className="reason">{reason}</code> {message}
              <span className="why-advice">{adviceOf(reason)}</span>
            </span>
            <time dateTime={since} title={since}>
              {timeAgo(since, Date.now())}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
