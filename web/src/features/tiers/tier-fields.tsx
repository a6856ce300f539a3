import type { HTMLAttributes, ReactElement } from 'react';
import type { TierDraft, TierProblems } from './tier-draft.ts';

interface TierFieldProps {
  readonly draft: TierDraft;
  readonly problems: TierProblems;
  readonly onDraft: (change: Partial<TierDraft>) => void;
}
type TextField = Exclude<keyof TierDraft, 'gpuMode' | 'gpuBy'>;

const GPU_MODES = [
  { mode: 'None', word: 'No GPU' },
  { mode: 'Shared', word: 'Shared' },
  { mode: 'Exclusive', word: 'Its own' },
] as const;
const GPU_HINTS: Readonly<Record<TierDraft['gpuMode'], string>> = {
  None: '',
  Shared: 'One permit to use a GPU together with others; no promise of speed.',
  Exclusive: 'Whole GPUs for one agent alone.',
};

/** What opens the tier and what it costs. */
export function OpeningFields({
  draft,
  problems,
  onDraft,
  isNew,
}: TierFieldProps & { readonly isNew: boolean }): ReactElement {
  const parts = { draft, problems, onDraft };
  return (
    <Group title="What opens it and what it costs, in aiDollars">
      <Text {...parts} title="Name" field="name" disabled={!isNew} placeholder="tier-3" />
      <Text {...parts} title="Rank" field="rank" inputMode="numeric" />
      <Text {...parts} title="Opens at" field="minBalance" inputMode="decimal" placeholder="25" />
      <Text {...parts} title="Price an hour" field="perHour" inputMode="decimal" />
      <Text {...parts} title="Per 1,000 tokens" field="perThousandTokens" inputMode="decimal" />
    </Group>
  );
}

/** What an agent of the tier may use. */
export function LimitFields(parts: TierFieldProps): ReactElement {
  return (
    <Group title="Limits">
      <Text {...parts} title="Requests a minute" field="requestsPerMinute" inputMode="numeric" placeholder="300" />
      <Text {...parts} title="Tools at once" field="concurrentTools" inputMode="numeric" placeholder="2" />
      <Text {...parts} title="Tokens an hour" field="tokensPerHour" inputMode="numeric" placeholder="100000" />
      <Text {...parts} title="Models, default first" field="models" placeholder="small, large" />
    </Group>
  );
}

/** What a pod of the tier gets. */
export function ComputeFields(parts: TierFieldProps): ReactElement {
  const { draft, problems, onDraft } = parts;
  return (
    <Group title="Compute">
      <Text {...parts} title="Processor" field="cpu" placeholder="500m" />
      <Text {...parts} title="Memory" field="memory" placeholder="512Mi" />
      <Text {...parts} title="Priority class" field="priorityClass" placeholder="none" />
      <div className="tier-gpu">
        <div className="segments" role="radiogroup" aria-label="GPU">
          {GPU_MODES.map(({ mode, word }) => (
            <label key={mode} className="segment" data-gpu={mode}>
              <input
                type="radio"
                name="gpu-mode"
                checked={draft.gpuMode === mode}
                onChange={() => onDraft({ gpuMode: mode })}
              />
              {word}
            </label>
          ))}
        </div>
        {GPU_HINTS[draft.gpuMode] !== '' && <p className="hint">{GPU_HINTS[draft.gpuMode]}</p>}
        {problems.gpuMode !== undefined && (
          <p className="field-problem" role="alert">
            {problems.gpuMode}
          </p>
        )}
        {draft.gpuMode !== 'None' && <GpuFields {...parts} />}
      </div>
    </Group>
  );
}

function GpuFields(parts: TierFieldProps): ReactElement {
  const { draft, onDraft } = parts;
  return (
    <div className="form-grid">
      <label>
        GPU from
        <select
          name="gpu-by"
          value={draft.gpuBy}
          onChange={(event) => onDraft({ gpuBy: event.target.value === 'template' ? 'template' : 'resource' })}
        >
          <option value="resource">the nodes</option>
          <option value="template">a template</option>
        </select>
      </label>
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
  readonly field: TextField;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
}

function Text({ draft, problems, onDraft, title, field, disabled, placeholder, inputMode }: TextProps): ReactElement {
  const problem = problems[field];
  return (
    <label>
      {title}
      <input
        name={field}
        value={draft[field]}
        disabled={disabled}
        placeholder={placeholder}
        inputMode={inputMode}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onDraft({ [field]: event.target.value })}
        aria-invalid={problem !== undefined}
      />
      {problem !== undefined && (
        <span className="field-problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
