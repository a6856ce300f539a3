import type { HTMLAttributes, ReactElement } from 'react';
import type { FormDraft } from '../../client/drafts.ts';
import { FieldProblem, Segments, SelectField, TextField } from '../../ui/fields.tsx';
import type { TierDraft, TierProblems } from './tier-draft.ts';

type TierFieldProps = Pick<FormDraft<TierDraft>, 'draft' | 'of'> & Readonly<{ problems: TierProblems }>;
type TextName = Exclude<keyof TierDraft, 'gpuMode' | 'gpuBy'>;

const GPU_MODES = [
  { key: 'None', word: 'No GPU' },
  { key: 'Shared', word: 'Shared' },
  { key: 'Exclusive', word: 'Exclusive' },
] as const;
const GPU_HINTS: Readonly<Record<TierDraft['gpuMode'], string>> = {
  None: '',
  Shared: 'The agent shares a GPU with others; its speed is not guaranteed.',
  Exclusive: 'The agent gets whole GPUs for itself.',
};

export function OpeningFields({ isNew, ...parts }: TierFieldProps & { readonly isNew: boolean }): ReactElement {
  return (
    <Group title="Balance and price, in aiDollars">
      <Text {...parts} title="Name" field="name" disabled={!isNew} placeholder="tier-3" />
      <Text {...parts} title="Rank" field="rank" inputMode="numeric" />
      <Text {...parts} title="Opens at balance" field="minBalance" inputMode="decimal" placeholder="25" />
      <Text {...parts} title="Price an hour" field="perHour" inputMode="decimal" />
      <Text {...parts} title="Per 1,000 tokens" field="perThousandTokens" inputMode="decimal" />
    </Group>
  );
}

export function LimitFields(parts: TierFieldProps): ReactElement {
  return (
    <Group title="Limits">
      <Text {...parts} title="Requests a minute" field="requestsPerMinute" inputMode="numeric" placeholder="300" />
      <Text {...parts} title="Tools at once" field="concurrentTools" inputMode="numeric" placeholder="2" />
      <Text {...parts} title="Model requests at once" field="concurrentModelRequests" inputMode="numeric" />
      <Text {...parts} title="Web searches an hour" field="webSearchesPerHour" inputMode="numeric" />
      <Text {...parts} title="Browser calls an hour" field="browserCallsPerHour" inputMode="numeric" />
      <Text {...parts} title="Tokens an hour" field="tokensPerHour" inputMode="numeric" placeholder="100000" />
      <Text {...parts} title="Models, default first" field="models" placeholder="small, large" />
    </Group>
  );
}

export function ComputeFields(parts: TierFieldProps): ReactElement {
  const { draft, problems, of } = parts;
  return (
    <Group title="Compute">
      <Text {...parts} title="Processor" field="cpu" placeholder="500m" />
      <Text {...parts} title="Memory" field="memory" placeholder="512Mi" />
      <Text {...parts} title="Priority class" field="priorityClass" placeholder="none" />
      <div className="tier-gpu">
        <Segments label="GPU" items={GPU_MODES} {...of('gpuMode')} />
        {GPU_HINTS[draft.gpuMode] !== '' && <p className="hint">{GPU_HINTS[draft.gpuMode]}</p>}
        <FieldProblem text={problems.gpuMode} />
        {draft.gpuMode !== 'None' && <GpuFields {...parts} />}
      </div>
    </Group>
  );
}

function GpuFields(parts: TierFieldProps): ReactElement {
  const { draft, of } = parts;
  return (
    <div className="form-grid">
      <SelectField
        label="GPU from"
        name="gpu-by"
        {...of('gpuBy')}
        options={[
          ['resource', 'a resource of the nodes'],
          ['template', 'a claim template'],
        ]}
      />
      {draft.gpuBy === 'template' && (
        <Text {...parts} title="Claim template" field="gpuTemplate" placeholder="gpu-claim" />
      )}
      {draft.gpuBy === 'resource' && (
        <Text {...parts} title="Resource" field="gpuResource" placeholder="nvidia.com/gpu" />
      )}
      {draft.gpuBy === 'resource' && draft.gpuMode === 'Exclusive' && (
        <Text {...parts} title="How many" field="gpuCount" inputMode="numeric" />
      )}
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: React.ReactNode }): ReactElement {
  return (
    <fieldset className="field-group">
      <legend className="section-name">{title}</legend>
      <div className="form-grid">{children}</div>
    </fieldset>
  );
}

interface TextProps extends TierFieldProps {
  readonly title: string;
  readonly field: TextName;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
}

function Text({ draft: _draft, problems, of, title, field, ...input }: TextProps): ReactElement {
  return (
    <TextField {...input} label={title} name={field} spellCheck={false} {...of(field)} problem={problems[field]} />
  );
}
