import { listPermissions, type Need, type Permission } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Avatar, LinkButton, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { PermissionCard } from '../permissions/permission-card.tsx';
import { toolLabel } from '../permissions/tool-labels.ts';
import { isListed } from './need-labels.ts';
import { usePending } from '../permissions/use-pending.ts';
import { useAgentName, useShowAgent, useVillage } from '../village-context.ts';

const OLDER_EVERY_MS = 30_000;

type RequestsProps = Readonly<{ needs: readonly Need[]; onAnswered: () => void }>;

/** The requests and questions among the needs, complete, because a person must see a call before they allow it. */
export function Requests({ needs, onAnswered }: RequestsProps) {
  const live = usePending();
  // An answered request stays until the page is left, so that the answer can be read.
  const [answered, setAnswered] = useState<ReadonlyMap<string, Permission>>(new Map());
  const asked = needs.filter((need) => !isListed(need) && !answered.has(need.id)).map(({ id }) => id);
  const newest = new Map((live.data?.permissions ?? []).map((each) => [each.permission_id, each]));
  const waiting = asked.flatMap((id) => newest.get(id) ?? []);
  const older = live.data === null ? [] : asked.filter((id) => !newest.has(id));
  const keep = (known: Permission): void => {
    setAnswered((before) => new Map(before).set(known.permission_id, known));
    live.again();
    onAnswered();
  };
  const shown = [...waiting, ...answered.values()].toSorted((left, right) =>
    left.asked_at.localeCompare(right.asked_at),
  );
  return (
    <>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      <ul className="permissions-list" aria-label="Requests">
        {older.map((id) => (
          <OlderRequest key={id} id={id} onAnswered={keep} />
        ))}
        {shown.map((permission) => (
          <RequestItem key={permission.permission_id} permission={permission} onAnswered={keep} />
        ))}
      </ul>
    </>
  );
}

type ItemProps = Readonly<{ permission: Permission; onAnswered: (known: Permission) => void }>;

function RequestItem({ permission, onAnswered }: ItemProps) {
  return (
    <li>
      <Whose permission={permission} />
      <PermissionCard permission={permission} onAnswered={onAnswered} />
    </li>
  );
}

/** A request that the list of the newest ones lacks, because too many newer requests follow it. */
function OlderRequest({ id, onAnswered }: Readonly<{ id: string; onAnswered: ItemProps['onAnswered'] }>) {
  const { data } = useLive(
    listPermissions,
    { query: { permission_id: id, state: 'pending', limit: 1 } },
    OLDER_EVERY_MS,
  );
  const [permission] = data?.permissions ?? [];
  return permission === undefined ? null : <RequestItem permission={permission} onAnswered={onAnswered} />;
}

function Whose({ permission }: { readonly permission: Permission }) {
  const { open } = useVillage();
  const showAgent = useShowAgent();
  const now = useNow(10_000);
  const { agent_id: agent, session_id: chat, run_id: run, state, why, tool } = permission;
  const name = useAgentName(agent);
  return (
    <p className="permission-whose">
      <Avatar id={agent} size={24} />
      <b>{name}</b>
      {/* An answered request has no card that names its tool. */}
      {state !== 'pending' && why !== 'question' && <span>{toolLabel(tool).word}</span>}
      <Time at={permission.asked_at} word={timeAgo(permission.asked_at, now)} />
      {chat !== null && (
        <LinkButton word="Open the conversation" onClick={() => showAgent(agent, { tab: 'chat', chat })} />
      )}
      <LinkButton word="Open the run" onClick={() => open({ view: 'runs', run })} />
    </p>
  );
}
