import type { AgentDetail } from '@hamlet/contract'
import type { ReactElement, ReactNode } from 'react'
import type { Row } from '../../client/app-state.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { timeAgo } from '../../ui/time-words.ts'
import { useVillageState } from '../village-context.ts'

/** Where it is, where it runs, what it has and what it may use. */
export function FactList({ row, detail }: { readonly row: Row; readonly detail: AgentDetail }): ReactElement {
  return (
    <dl className="facts">
      <Fact icon="pin" title="Place">{row.place ?? 'On the way'} <small>{Math.round(row.x)}, {Math.round(row.y)}</small></Fact>
      <Fact icon="bag" title="Carries">{carriedWords(row.carried)}</Fact>
      <Fact icon="server" title="Node">{detail.node ?? 'None'} {detail.pod !== null && <small>pod {detail.pod}</small>}</Fact>
      <Fact icon="reboot" title="Run cycle">{detail.cycle}</Fact>
      <Fact icon="chip" title="Tier">{detail.tier ?? 'None'} <small>{detail.entitlement.policy === 'Pinned' ? 'pinned' : 'by balance'}</small></Fact>
      <Fact icon="signal" title="Limits">{limitWords(detail)}</Fact>
      <Fact icon="home" title="Home"><HomeName id={detail.home} /></Fact>
      <Fact icon="clock" title="Last seen">{lastSeen(detail)}</Fact>
    </dl>
  )
}

function lastSeen({ status }: AgentDetail): string {
  if (status.online) return 'Here now'
  return status.last_seen === null ? 'Never' : timeAgo(status.last_seen, Date.now())
}

function HomeName({ id }: { readonly id: string | null }): ReactElement {
  const name = useVillageState((state) => state.landmarks.find((landmark) => landmark.id === id)?.name)
  return <>{name ?? id ?? 'None'}</>
}

function Fact({ icon, title, children }: { readonly icon: IconName; readonly title: string; readonly children: ReactNode }): ReactElement {
  return <div className="fact"><dt><Icon name={icon} size={16} />{title}</dt><dd>{children}</dd></div>
}

/** Things with their number: `bread × 2, tool`. */
export function carriedWords(carried: readonly string[]): string {
  if (carried.length === 0) return 'Nothing'
  return [...new Set(carried)].map((kind) => {
    const count = carried.filter((other) => other === kind).length
    return count === 1 ? kind : `${kind} × ${count}`
  }).join(', ')
}

/** What the tier allows, in few words. */
export function limitWords(detail: Pick<AgentDetail, 'entitlement'>): string {
  const { limits } = detail.entitlement
  if (limits === null) return 'Not known'
  const parts = [
    limits.requests_per_minute === null ? '' : `${limits.requests_per_minute} requests/min`,
    limits.concurrent_tools === null ? '' : limits.concurrent_tools === 1 ? '1 tool at once' : `${limits.concurrent_tools} tools at once`,
    limits.tokens_per_hour === null ? '' : `${limits.tokens_per_hour.toLocaleString('en')} tokens/h`,
    limits.models.length === 0 ? '' : limits.models.join(', '),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'None' : parts.join(' · ')
}
