import { SafeMode } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { SAFE_MODE_LABELS } from './run-labels.ts';

type SafeModeFieldProps = Readonly<{ value: SafeMode | null; onChange: (value: SafeMode | null) => void }>;

const FREE = 'free';

/** The choice of a person between a run that may change things, one that only analyses, and a dry run. */
export function SafeModeField({ value, onChange }: SafeModeFieldProps): ReactElement {
  return (
    <label>
      Changes
      <select
        name="safe-mode"
        value={value ?? FREE}
        onChange={({ target }) => onChange(SafeMode.safeParse(target.value).data ?? null)}
      >
        <option value={FREE}>As its rules allow</option>
        {SafeMode.options.map((mode) => (
          <option key={mode} value={mode}>
            {SAFE_MODE_LABELS[mode].choice}
          </option>
        ))}
      </select>
    </label>
  );
}
