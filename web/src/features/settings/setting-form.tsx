import { setVillageSetting, type VillageSetting, type VillageSettingKey } from '@hamlet/contract';
import { useState } from 'react';
import type { Field } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, RefusedNotice } from '../../ui/controls.tsx';
import { Form, Segments, SubmitButton, TextField } from '../../ui/fields.tsx';
import { readSetting, type SettingKind, textOf, valueLabel } from './setting-draft.ts';

const SWITCH = [
  { key: 'on', word: 'On' },
  { key: 'off', word: 'Off' },
] as const;

type SettingProps = Readonly<{ setting: VillageSetting; kind: SettingKind; onChanged: () => void }>;

/** One setting. It shows the stored value until a person writes another. */
export function SettingForm({ setting, kind, onChanged }: SettingProps) {
  const sending = useIntent();
  const [written, setWritten] = useState<string | null>(null);
  const stored = textOf(setting.value);
  const text = written ?? stored;
  const read = readSetting(kind, text);
  const isChanged = text.trim() !== stored;
  const write = (next: string | null): void => {
    setWritten(next);
    sending.changed();
  };
  const send = async (value: VillageSetting['value']): Promise<void> => {
    const input = { params: { key: setting.key as VillageSettingKey }, body: { value } };
    if ((await sending.call(setVillageSetting, input, JSON.stringify(value))) === null) return;
    setWritten(null);
    onChanged();
  };
  return (
    <Form
      className="card setting"
      aria-label={setting.title}
      data-setting={setting.key}
      data-source={setting.source}
      noValidate
      onSend={() => isChanged && read.ok && send(read.value)}
    >
      <SettingField
        setting={setting}
        kind={kind}
        value={text}
        onChange={write}
        problem={isChanged && !read.ok ? read.problem : undefined}
      />
      <p className="hint">{setting.what}</p>
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
      <div className="button-row setting-end">
        <SubmitButton
          word={sending.done && !isChanged ? 'Saved' : 'Save'}
          busy={sending.busy}
          aria-disabled={!isChanged}
        />
        {setting.source === 'village' && (
          <Button
            word={`Return to ${valueLabel(setting.default)}`}
            title="The value of the chart"
            data-action="reset"
            onClick={() => void send(null)}
          />
        )}
        <Origin setting={setting} />
      </div>
    </Form>
  );
}

function Origin({ setting: { source, where } }: Pick<SettingProps, 'setting'>) {
  const unset = where === null ? 'The default' : 'From the chart';
  return (
    <span className="hint">
      {source === 'village' ? 'Set here' : unset}
      {where !== null && (
        <>
          {' '}
          (<code>{where}</code>)
        </>
      )}
    </span>
  );
}

type FieldProps = Field<string> & Omit<SettingProps, 'onChanged'> & Readonly<{ problem: string | undefined }>;

function SettingField({ setting: { key, title }, kind, value, onChange, problem }: FieldProps) {
  if (kind === 'switch')
    return (
      <div className="field">
        <b>{title}</b>
        <Segments label={title} items={SWITCH} value={value === 'off' ? 'off' : 'on'} onChange={onChange} />
      </div>
    );
  return (
    <TextField
      label={title}
      name={key}
      value={value}
      onChange={onChange}
      problem={problem}
      spellCheck={false}
      {...(kind === 'color' ? { type: 'color' } : {})}
      {...(kind === 'number' ? { inputMode: 'numeric' as const } : {})}
      {...(key === 'time_zone' ? { suggestions: Intl.supportedValuesOf('timeZone') } : {})}
    />
  );
}
