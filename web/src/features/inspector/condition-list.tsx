import type { AgentDetail } from '@hamlet/contract'
import type { ReactElement } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { timeAgo } from '../../ui/time-words.ts'
import { type ConditionWords, conditionWords } from './condition-words.ts'

const ICONS: Readonly<Record<ConditionWords['tone'], IconName>> = { good: 'check', waiting: 'clock', bad: 'alert', info: 'sleep' }

/** The answer to "why is it not running", then the whole chain. */
export function ConditionList({ detail }: { readonly detail: AgentDetail }): ReactElement {
  const { why } = detail
  return (
    <>
      {!why.ready && <p className={`notice ${detail.power === 'Asleep' ? 'notice-info' : 'notice-waiting'}`}><Icon name={detail.power === 'Asleep' ? 'sleep' : 'info'} size={16} /><span>{why.message === '' ? why.reason : why.message}</span></p>}
      <ul className="conditions">
        {conditionWords(detail.conditions).map((condition) => (
          <li key={condition.type} className={`condition condition-${condition.tone}`} title={`${condition.type}: ${condition.reason}`}>
            <span className="condition-mark"><Icon name={ICONS[condition.tone]} size={13} /></span>
            <span><b>{condition.title}</b> <span className="condition-text">{condition.text}</span></span>
            <time dateTime={condition.since} title={condition.since}>{timeAgo(condition.since, Date.now())}</time>
          </li>
        ))}
      </ul>
    </>
  )
}
