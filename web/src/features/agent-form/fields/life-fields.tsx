import { FormPart, SpecSelect, SpecText } from './spec-form.tsx';

const PAUSES = ['15m', '1h', '6h', '24h'];

type LifeProps = Readonly<{ isNew: boolean }>;

/** Sleep and the volume. Only a new agent has a choice of the size, because a volume keeps its size. */
export function LifeFields({ isNew }: LifeProps) {
  return (
    <FormPart title="Sleep and storage">
      <div className="form-grid">
        <SpecText
          path={['idleSleepAfter']}
          label="Falls asleep without work after"
          suggestions={PAUSES}
          placeholder="never"
        />
        <SpecSelect
          path={['wake']}
          label="A message wakes it"
          usual="OnMessage"
          options={[
            ['', 'Yes'],
            ['Never', 'No'],
          ]}
        />
        {isNew && <SpecText path={['memory', 'size']} label="Size of its volume" placeholder="1Gi" />}
        <SpecSelect
          path={['memory', 'retain']}
          label="If the agent is deleted, its volume"
          usual="Delete"
          options={[
            ['', 'is deleted too'],
            ['Retain', 'stays'],
          ]}
        />
      </div>
    </FormPart>
  );
}
