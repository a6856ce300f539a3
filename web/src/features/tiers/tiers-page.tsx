import type { EntitlementView } from '@hamlet/contract'
import { type ReactElement, useMemo } from 'react'
import { RefusedNotice } from '../../ui/refused-notice.tsx'
import { moneyWords, sumOf } from '../money/money-words.ts'
import { Page } from '../navigation/page.tsx'
import { useVillageState } from '../village-context.ts'
import { NodeList } from './node-list.tsx'
import { TierCard } from './tier-card.tsx'
import { hourlyPrices, isSeated, type Occupant, waitingOf } from './tier-picture.ts'
import { useTiers } from './use-tiers.ts'
import { WaitingList } from './waiting-list.tsx'

/** What a balance opens, how much room there is, who has it, who waits for it, and on which machine they run. */
export function TiersPage(): ReactElement {
  return (
    <Page title="Tiers and seats" intro="What a balance opens, what it costs, and how much room the nodes have." needs="world:read">
      <Tiers />
    </Page>
  )
}

function Tiers(): ReactElement {
  const details = useVillageState((state) => state.details)
  const agents = useMemo((): readonly Occupant[] => [...details.values()], [details])
  const { data, refused } = useTiers()
  if (data === null) return refused === null ? <p className="empty">Reading…</p> : <RefusedNotice refused={refused} />
  const ladder = data.entitlements.toSorted((left, right) => right.rank - left.rank)
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <Summary agents={agents} tiers={ladder} />
      <WaitingList waiting={waitingOf(agents)} />
      <ol className="ladder" aria-label="Tiers, highest first">
        {ladder.map((tier) => <TierCard key={tier.name} tier={tier} agents={agents.filter((agent) => agent.tier === tier.name)} />)}
      </ol>
      {ladder.length === 0 && <p className="card empty"><b>No tiers yet.</b> <code>kubectl apply</code> an Entitlement.</p>}
      <NodeList agents={agents} />
    </>
  )
}

function Summary({ agents, tiers }: { readonly agents: readonly Occupant[]; readonly tiers: readonly EntitlementView[] }): ReactElement {
  const seated = agents.filter(isSeated).length
  const cost = sumOf(hourlyPrices(agents, tiers))
  return <p className="summary"><b>{seated}</b> of {agents.length} {agents.length === 1 ? 'agent has' : 'agents have'} a seat now, for <b>{moneyWords(cost)}</b> an hour in all.</p>
}
