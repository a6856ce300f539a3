import { type AgentDetail, type BalanceAnswer, getBalance } from '@hamlet/contract'
import { type ReactElement, useCallback } from 'react'
import { useLive } from '../../client/ask/use-live.ts'
import { Icon } from '../../ui/icon.tsx'
import { RefusedNotice } from '../../ui/refused-notice.tsx'
import { useTiers } from '../tiers/use-tiers.ts'
import { useVillage } from '../village-context.ts'
import { EntryList } from './entry-list.tsx'
import { JudgeForm } from './judge-form.tsx'
import { moneyWords, readAmount } from './money-words.ts'
import { type LadderStep, tierOutlook } from './tier-outlook.ts'

const REFRESH_MS = 4000

/** What an agent has, what that opens, what people gave it or took from it, and the means to do either. */
export function MoneyTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { api, village } = useVillage()
  const id = agent.agent_id
  const balance = useLive(useCallback(() => api.call(getBalance, { params: { agent_id: id }, query: {} }), [api, id]), REFRESH_MS)
  const tiers = useTiers()
  const steps = tiers.data?.entitlements ?? []
  const changed = (): void => { balance.again(); void village.refreshAgent(id) }
  if (balance.data === null) return balance.refused === null ? <p className="empty">Reading the books…</p> : <RefusedNotice refused={balance.refused} />
  return (
    <>
      <Balance balance={balance.data} agent={agent} steps={steps} />
      <JudgeForm agent={agent} balance={balance.data} steps={steps} onDone={changed} />
      <EntryList id={id} version={balance.data.balance} />
    </>
  )
}

interface BalanceProps { readonly balance: BalanceAnswer; readonly agent: AgentDetail; readonly steps: readonly LadderStep[] }

function Balance({ balance, agent, steps }: BalanceProps): ReactElement {
  const held = balance.held === '0' ? null : balance.held
  return (
    <div className="balance">
      <p className="balance-sum" data-balance={balance.balance}><Icon name="coin" size={20} />{moneyWords(balance.balance)}</p>
      {held !== null && <p className="hint">{moneyWords(held)} of it is set aside; {moneyWords(balance.available)} can be spent.</p>}
      <p className="hint">{outlookWords(agent, steps, readAmount(balance.balance) ?? 0n)}</p>
    </div>
  )
}

function outlookWords(agent: AgentDetail, steps: readonly LadderStep[], balance: bigint): string {
  if (agent.entitlement.policy === 'Pinned') return `Pinned to ${agent.entitlement.tier ?? 'a tier'}: the balance does not change its tier.`
  const { tier, next } = tierOutlook(steps, balance, agent.standing.balance_tier)
  const now = tier === null ? 'It opens no tier.' : `It opens ${tier}.`
  return next === null ? `${now}${steps.length === 0 ? '' : ' There is none higher.'}` : `${now} ${moneyWords(next.missing)} more open ${next.name}.`
}
