import { forgetRepositoryEntry, type MemoryEntry } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/time.tsx';
import { useAgentName } from '../agent-list/use-agent-names.ts';
import { useVillage } from '../village-context.ts';
import { entryLabel } from './entry-label.ts';

type LineProps = Readonly<{ entry: MemoryEntry; repository: string; onForgotten: () => void }>;

/** An entry of the memory of a repository: its words, who began it, when a run changed it, and a button that deletes it. */
export function MemoryEntryLine({ entry, repository, onForgotten }: LineProps): ReactElement {
  const { api, open } = useVillage();
  const intent = useIntent();
  const now = useNow(10_000);
  const name = useAgentName(entry.agent_id);
  const { memory_id, run_id: run } = entry;
  const { title, lines } = entryLabel(entry);
  const forget = async (): Promise<void> => {
    const input = { params: { memory_id }, query: { repository } };
    const reply = await intent.send((idempotencyKey) => api.call(forgetRepositoryEntry, { ...input, idempotencyKey }));
    if (reply?.ok === true) onForgotten();
  };
  return (
    <li className="memory-entry" data-memory={memory_id}>
      <div className="memory-words">
        {title !== null && <b>{title}</b>}
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p className="hint">
          {entry.pinned && <Badge tone="good">Pinned</Badge>}{' '}
          {entry.outside && <Badge tone="waiting">From outside</Badge>} Begun by {name},{' '}
          <LinkButton word={`changed ${timeAgo(entry.changed_at, now)}`} onClick={() => open({ view: 'runs', run })} />
        </p>
      </div>
      <Button
        word="Delete"
        aria-label={`Delete ${title ?? lines[0] ?? memory_id}`}
        aria-disabled={intent.busy}
        onClick={() => void forget()}
        data-action="forget-entry"
      />
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </li>
  );
}
