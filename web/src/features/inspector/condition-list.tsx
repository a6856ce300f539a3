import type { AgentDetail } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Notice } from '../../ui/notices/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { adviceOf, type ConditionLabel, conditionLabels } from './condition-labels.ts';

const ICONS: Readonly<Record<ConditionLabel['tone'], IconName>> = {
  good: 'check',
  waiting: 'clock',
  bad: 'alert',
  info: 'sleep',
};

/** If the agent does not run, the reason with advice; then all conditions. */
export function ConditionList({ detail }: { readonly detail: AgentDetail }): ReactElement {
  return (
    <>
      {!detail.why.ready && <Blocker detail={detail} />}
      <ul className="conditions">
        {conditionLabels(detail.conditions).map((condition) => (
          <li
            key={condition.type}
            className={`condition condition-${condition.tone}`}
            title={`${condition.type}: ${condition.reason}`}
            data-reason={condition.reason}
          >
            <span className="condition-mark">
              <Icon name={ICONS[condition.tone]} size={13} />
            </span>
            <span>
              <b>{condition.title}</b> <span className="condition-text">{condition.text}</span>
            </span>
            <Time at={condition.since} word={timeAgo(condition.since, Date.now())} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first condition that is not as it should be: its reason as in kubectl, the operator's message, and the advice. */
function Blocker({ detail: { why, power } }: { readonly detail: AgentDetail }): ReactElement {
  const advice = adviceOf(why.reason);
  const calm = power === 'Asleep';
  return (
    <Notice tone={calm ? 'info' : 'waiting'} icon={calm ? 'sleep' : 'info'} className="why" data-why={why.reason}>
      <code className="reason">{why.reason}</code> {why.message}
      {advice !== null && <span className="why-advice">{advice}</span>}
    </Notice>
  );
}
