import { type AgentDetail, type Capability, getCapabilities } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Icon } from '../../ui/icon.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/time.tsx';
import { brokenFirst, capabilityCount, capabilityLabel } from './capability-labels.ts';
import './capabilities.css';

const REFRESH_MS = 10_000;

/** Everything that an agent was promised, as its resident last found it: what is missing, why, and the fix. Nothing before its first report. */
export function CapabilityList({ agent }: { readonly agent: AgentDetail }): ReactElement | null {
  const { data } = useLive(getCapabilities, { params: { agent_id: agent.agent_id } }, REFRESH_MS);
  const now = useNow(10_000);
  if (data === null || data.reported_at === null || data.capabilities.length === 0) return null;
  return (
    <section className="section" aria-label="Capabilities">
      <h3 className="section-name">Capabilities · {capabilityCount(data.capabilities)}</h3>
      <ul className="conditions capabilities">
        {brokenFirst(data.capabilities).map((capability) => (
          <CapabilityLine key={`${capability.kind} ${capability.name}`} capability={capability} />
        ))}
      </ul>
      <p className="hint">
        The agent checked this {timeAgo(data.reported_at, now)}
        {data.cycle !== agent.cycle && ', in an earlier cycle'}.
      </p>
    </section>
  );
}

function CapabilityLine({ capability }: { readonly capability: Capability }): ReactElement {
  const { ok, why, fix } = capability;
  return (
    <li className={`condition condition-${ok ? 'good' : 'bad'}`} data-capability={capability.name} data-ok={ok}>
      <span className="condition-mark">
        <Icon name={ok ? 'check' : 'alert'} size={13} />
      </span>
      <span>
        <b>{capabilityLabel(capability)}</b> <span className="sr-only">{ok ? 'works' : 'is missing'}:</span>{' '}
        <span className="condition-text">{why}</span>
        {fix !== null && <span className="capability-fix">Fix: {fix}</span>}
      </span>
    </li>
  );
}
