import { type ReactElement, useId } from 'react';

interface ChoicesProps<T extends string | null> {
  readonly label: string;
  readonly keys: readonly T[];
  readonly chosen: T;
  readonly wordOf: (key: T) => string;
  readonly onChoose: (key: T) => void;
  readonly small?: boolean;
}

/** A row of chips of which one is chosen; null stands for all of them together. */
export function Choices<T extends string | null>({
  label,
  keys,
  chosen,
  wordOf,
  onChoose,
  small = false,
}: ChoicesProps<T>): ReactElement {
  const name = useId();
  return (
    <div className="chips" role="radiogroup" aria-label={label}>
      {keys.map((key) => (
        <label key={key ?? 'all'} className={small ? 'choice choice-small' : 'choice'} data-choice={key ?? 'all'}>
          <input type="radio" name={name} checked={chosen === key} onChange={() => onChoose(key)} />
          {wordOf(key)}
        </label>
      ))}
    </div>
  );
}
