import { type AgentDetail, SafeMode } from '@hamlet/contract';
import { isForeign } from '@hamlet/core';
import { SelectField } from '../../ui/fields.tsx';
import { SAFE_MODE_LABELS } from './safe-mode-labels.ts';

type SafeModeFieldProps = Readonly<{
  agent: AgentDetail;
  value: SafeMode | null;
  onChange: (value: SafeMode | null) => void;
}>;

const FREE = 'free';

/** The choice of a safe mode for a run. Empty for a program of others, because no rule holds its tools back. */
export function SafeModeField({ agent: { mind }, value, onChange }: SafeModeFieldProps) {
  if (mind !== null && isForeign(mind)) return null;
  return (
    <SelectField
      label="May it change things?"
      name="safe-mode"
      value={value ?? FREE}
      options={[
        [FREE, 'Yes, as its rules allow'],
        ...SafeMode.options.map((mode) => [mode, SAFE_MODE_LABELS[mode].choice] as const),
      ]}
      onChange={(mode) => onChange(mode === FREE ? null : mode)}
    />
  );
}
