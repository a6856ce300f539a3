import { type ReactElement, useState } from 'react'
import './payments.css'
import { Page } from '../navigation/page.tsx'
import { CreditForm } from './credit-form.tsx'
import { CreditList } from './credit-list.tsx'
import { Reconciliation } from './reconciliation.tsx'

/** Money from outside: crediting it, second approvals, and how our books compare with the provider's. */
export function PaymentsPage(): ReactElement {
  const [version, setVersion] = useState(0)
  return (
    <Page title="Payments" intro="Money that came in outside becomes aiDollars here: each payment once, by its transaction id." needs="payments:manage">
      <div className="payment-columns">
        <CreditForm onSent={() => setVersion((count) => count + 1)} />
        <CreditList version={version} />
      </div>
      <Reconciliation />
    </Page>
  )
}
