import type { Need, Permission } from '@hamlet/contract';
import { useState } from 'react';
import { Avatar, LinkButton, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { PermissionCard } from '../permissions/permission-card.tsx';
import { usePending } from '../permissions/use-pending.ts';
import { useAgentName, useShowAgent, useVillage } from '../village-context.ts';

type RequestsProps = Readonly<{ needs: readonly Need[]; onAnswered: () => void }>;

/** The requests and questions among the needs, complete, because a person must see a call before they allow it. */
export function Requests({ needs, onAnswered }: RequestsProps) {
  const live = usePending();
  // An answered request stays until the page is left, so that the answer can be read.
  const [answered, setAnswered] = useState<ReadonlyMap<string, Permission>>(new Map());
  const wanted = new Set(needs.map(({ id }) => id));
  const waiting = (live.data?.permissions ?? []).filter(({ permission_id: id }) => wanted.has(id) && !answered.has(id));
  const shown = [...waiting, ...answered.values()].toSorted((left, right) =>
    left.asked_at.localeCompare(right.asked_at),
  );
  return (
    <>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      <ul className="permissions-list" aria-label="Requests">
        {shown.map((permission) => (
          <li key={permission.permission_id}>
            <Whose permission={permission} />
            <PermissionCard
              permission={permission}
              onAnswered={(known) => {
                setAnswered((before) => new Map(before).set(known.permission_id, known));
                live.again();
                onAnswered();
              }}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function Whose({ permission }: { readonly permission: Permission }) {
  const { open } = useVillage();
  const showAgent = useShowAgent();
  const now = useNow(10_000);
  const { agent_id: agent, session_id: chat, run_id: run } = permission;
  const name = useAgentName(agent);
  return (
    <p className="permission-whose">
      <Avatar id={agent} size={24} />
      <b>{name}</b>
      <Time at={permission.asked_at} word={timeAgo(permission.asked_at, now)} />
      {chat !== null && (
        <LinkButton word="Open the conversation" onClick={() => showAgent(agent, { tab: 'chat', chat })} />
      )}
      <LinkButton word="Open the run" onClick={() => open({ view: 'runs', run })} />
    </p>
  );
}
