import type { Need } from '@hamlet/contract';
import { useIntent } from '../../client/query/use-live.ts';
import { Avatar, Button, Icon, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { Page } from '../navigation/page.tsx';
import { AllowRules } from '../permissions/allow-rules.tsx';
import { useAgentName, useVillage } from '../village-context.ts';
import { carryOut } from './carry-out.ts';
import { linkedPlace } from './linked-place.ts';
import { isListed, type ListedKind, NEED_LABELS } from './need-labels.ts';
import { Requests } from './requests.tsx';
import { useNeeds } from './use-needs.ts';
import './attention.css';

export function NeedsPage() {
  return (
    <Page
      title="Needs you"
      intro="Requests of agents, and all else that only a person can settle. A request without an answer expires and is denied."
      needs="runs:read"
    >
      <Needs />
      <AllowRules title="Always allowed" of={{}} />
    </Page>
  );
}

function Needs() {
  const live = useNeeds();
  if (live.data === null) return <Unread refused={live.refused} />;
  const { needs, more } = live.data;
  return (
    <>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {needs.length === 0 && (
        <p className="card empty">
          <b>Nothing waits for you.</b> Requests of agents, results to accept and work that cannot continue appear here.
        </p>
      )}
      <Requests needs={needs} onAnswered={live.again} />
      <ul className="needs" aria-label="To settle">
        {needs.filter(isListed).map((need) => (
          <li key={`${need.kind} ${need.id}`} data-need={need.kind} data-id={need.id}>
            <NeedRow need={need} onSettled={live.again} />
          </li>
        ))}
      </ul>
      {more && <p className="hint">There is more: settle some, and the rest appears.</p>}
    </>
  );
}

type RowProps = Readonly<{ need: Need & { readonly kind: ListedKind }; onSettled: () => void }>;

function NeedRow({ need, onSettled }: RowProps) {
  const { select, open } = useVillage();
  const now = useNow(10_000);
  const intent = useIntent();
  const { kind, agent_id: agent, line, link, since, remedy } = need;
  const { icon, word } = NEED_LABELS[kind];
  const settle = async (): Promise<void> => {
    if (!intent.busy && (await carryOut(need, intent.call))) onSettled();
  };
  const show = (): void => {
    const { place, agent: beside } = linkedPlace(link);
    if (beside !== null) select(beside);
    open(place);
  };
  return (
    <>
      {agent === null ? <Icon name={icon} size={24} /> : <Avatar id={agent} size={32} />}
      <p>
        {agent !== null && <AgentName id={agent} />} {line} <Time at={since} word={timeAgo(since, now)} />
      </p>
      <span className="button-row">
        {remedy !== null && (
          <Button
            look="strong"
            word={remedy.label}
            aria-disabled={intent.busy}
            onClick={() => void settle()}
            data-action="remedy"
          />
        )}
        <Button word={word} onClick={show} data-action="open-need" />
      </span>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </>
  );
}

function AgentName({ id }: { readonly id: string }) {
  return <b>{useAgentName(id)}</b>;
}
