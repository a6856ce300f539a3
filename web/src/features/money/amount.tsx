import { changeLabel, moneyLabel, shortMoneyLabel } from '../../client/labels.ts';

/** An amount in short, with all of its digits on the pointer. */
export function Amount({ of }: { readonly of: string }) {
  return <span title={moneyLabel(of)}>{shortMoneyLabel(of)}</span>;
}

/** Money that an agent received or lost, with its sign. */
export function AmountChange({ of }: { readonly of: string }) {
  const isLoss = of.startsWith('-');
  return (
    <b className={isLoss ? 'entry-taken' : 'entry-given'} title={changeLabel(of)}>
      {isLoss ? '' : '+'}
      {shortMoneyLabel(of)}
    </b>
  );
}
