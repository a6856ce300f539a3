import type { Permission } from '@hamlet/contract';
import { useState } from 'react';
import { Avatar, LinkButton, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { Page } from '../navigation/page.tsx';
import { useAgentName, useShowAgent, useVillage } from '../village-context.ts';
import { AllowRules } from './allow-rules.tsx';
import { PermissionCard } from './permission-card.tsx';
import { usePending } from './pending-count.tsx';
import './permissions.css';

export function PermissionsPage() {
  return (
    <Page
      title="Permissions"
      intro="Agents wait here for an answer. A request without an answer expires, and that counts as a denial."
      needs="runs:read"
    >
      <Pending />
      <AllowRules title="Always allowed" of={{}} />
    </Page>
  );
}

function Pending() {
  const live = usePending();
  // An answered request stays until the page is left, so that the answer can be read.
  const [answered, setAnswered] = useState<ReadonlyMap<string, Permission>>(new Map());
  if (live.data === null) return <Unread refused={live.refused} />;
  const waiting = live.data.permissions.filter(({ permission_id: id }) => !answered.has(id));
  const shown = [...waiting, ...answered.values()].toSorted((left, right) =>
    left.asked_at.localeCompare(right.asked_at),
  );
  return (
    <>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {shown.length === 0 && (
        <p className="card empty">
          <b>No request waits.</b> When an agent needs permission for a call, it appears here.
        </p>
      )}
      <ul className="permissions-list" aria-label="Requests">
        {shown.map((permission) => (
          <li key={permission.permission_id}>
            <Whose permission={permission} />
            <PermissionCard
              permission={permission}
              onAnswered={(known) => {
                setAnswered((before) => new Map(before).set(known.permission_id, known));
                live.again();
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
