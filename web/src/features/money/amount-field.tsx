import { useId } from 'react';
import type { Field } from '../../client/drafts.ts';
import { Button } from '../../ui/controls.tsx';
import { FieldProblem } from '../../ui/fields.tsx';
import { readAmount } from '../../client/labels.ts';

const AMOUNTS = ['1', '5', '10'] as const;

interface AmountProps extends Field<string> {
  readonly label?: string;
  readonly required?: boolean;
}

/** A field for an amount above 0, with buttons for usual amounts. An empty field shows no error. */
export function AmountField({ label = 'Amount in aiDollars', required = false, value: amount, onChange }: AmountProps) {
  const id = useId();
  const bad = amount !== '' && (readAmount(amount) ?? 0n) <= 0n;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="amount">
        <input
          id={id}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required={required}
          value={amount}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={bad}
          placeholder="0.00"
        />
        {AMOUNTS.map((quick) => (
          <Button word={quick} key={quick} onClick={() => onChange(quick)} aria-label={`${quick} aiDollars`} />
        ))}
      </span>
      <FieldProblem text={bad ? 'Write an amount above 0 with at most six decimal places, such as 2.5' : undefined} />
    </div>
  );
}
