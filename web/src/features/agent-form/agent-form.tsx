import type { SpecField } from '@hamlet/contract';
import type { ReactNode } from 'react';
import type { Json } from '../../client/json.ts';
import type { Intent } from '../../client/query/use-live.ts';
import { Icon, Notice, OwnedNotice, RefusedNotice } from '../../ui/controls.tsx';
import { Form, SubmitButton } from '../../ui/fields.tsx';
import './agent-form.css';
import { EgressFields, RepositoryFields } from './fields/reach-fields.tsx';
import { LifeFields } from './fields/life-fields.tsx';
import { MessengerFields } from './fields/messenger-fields.tsx';
import { ModelFields, TierFields } from './fields/mind-fields.tsx';
import { PersonaFields } from './fields/persona-fields.tsx';
import { SkillFields } from './fields/skill-fields.tsx';
import { ToolFields } from './fields/tool-fields.tsx';
import { type SpecForm, SpecFormProvider } from './fields/spec-form.tsx';
import { isBlank, type SpecPath, valueAt, withValue } from './spec/edit-spec.ts';
import { ownerOf } from './spec/field-locks.ts';
import { problemAt, problemsElsewhere, type SpecProblems } from './spec/spec-problems.ts';
import type { DryRun } from './use-dry-run.ts';
import { YamlPane } from './yaml-pane.tsx';

/** The parts of a spec that fields of the form show. */
const SHOWN: readonly SpecPath[] = [
  ['displayName'],
  ['persona'],
  ['model'],
  ['entitlement'],
  ['tools', 'allow'],
  ['mcpServers'],
  ['skills'],
  ['egress'],
  ['repository'],
  ['channels', 'telegram'],
  ['channels', 'slack'],
  ['idleSleepAfter'],
  ['wake'],
  ['memory'],
];

interface FormState {
  readonly spec: Json;
  readonly onSpec: (spec: Json) => void;
  readonly problems: SpecProblems;
  /** True once the person tried to save: before, a field without a text is not wrong yet. */
  readonly tried: boolean;
  readonly fields: readonly SpecField[];
}

export function specFormOf({ spec, onSpec, problems, tried, fields }: FormState): SpecForm {
  return {
    spec,
    write: (path, value) => onSpec(withValue(spec, path, value)),
    problemOf: (path) => (!tried && isBlank(valueAt(spec, path)) ? undefined : problemAt(problems, path)),
    ownerOf: (path) => ownerOf(fields, path),
  };
}

interface AgentFormProps {
  readonly form: SpecForm;
  readonly problems: SpecProblems;
  readonly check: DryRun;
  readonly sending: Pick<Intent, 'busy' | 'refused'>;
  /** Null for a new agent. */
  readonly agentId: string | null;
  readonly yaml: string;
  readonly word: string;
  readonly head: ReactNode;
  readonly end: ReactNode;
  /** True if there is nothing to send. */
  readonly isIdle?: boolean;
  readonly onSend: () => void;
  /** For a change: writes fields of another manager too. */
  readonly onTakeOver?: () => void;
}

/** The fields of an agent, beside the YAML that they make. */
export function AgentForm(props: AgentFormProps) {
  const { form, problems, check, sending, agentId, yaml, word, head, end, isIdle = false, onSend, onTakeOver } = props;
  const elsewhere = problemsElsewhere(problems, SHOWN);
  return (
    <SpecFormProvider value={form}>
      <div className="agent-form">
        <Form className="agent-fields" noValidate aria-label="Agent" onSend={onSend}>
          {head}
          <PersonaFields />
          <ModelFields />
          <TierFields />
          <ToolFields />
          <SkillFields agentId={agentId} />
          <EgressFields />
          <RepositoryFields />
          <MessengerFields />
          <LifeFields isNew={agentId === null} />
          {end}
          {elsewhere.length > 0 && <Elsewhere problems={elsewhere} />}
          <Refusal refused={sending.refused} onTakeOver={onTakeOver} />
          <div className="button-row agent-send">
            <SubmitButton word={word} busy={sending.busy} aria-disabled={isIdle || sending.busy} />
            <CheckLine check={check} wrong={problems.size} />
          </div>
        </Form>
        <YamlPane text={yaml} />
      </div>
    </SpecFormProvider>
  );
}

type RefusalProps = Pick<Intent, 'refused'> & Readonly<{ onTakeOver: (() => void) | undefined }>;

function Refusal({ refused, onTakeOver }: RefusalProps) {
  if (refused === null) return null;
  return onTakeOver === undefined ? (
    <RefusedNotice refused={refused} />
  ) : (
    <OwnedNotice refused={refused} onTakeOver={onTakeOver} />
  );
}

/** Problems of parts that the form has no field for, such as rules of tools. */
function Elsewhere({ problems }: { readonly problems: readonly (readonly [string, string])[] }) {
  return (
    <Notice tone="bad">
      <b>Other parts of the agent are not valid.</b>
      <ul className="notice-list">
        {problems.map(([path, message]) => (
          <li key={path}>
            {path !== '' && <code>{path}</code>} {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function CheckLine({ check, wrong }: Readonly<{ check: DryRun; wrong: number }>) {
  const text = checkText(check, wrong);
  return (
    <span className="hint agent-check" role="status" data-check={wrong > 0 ? 'wrong' : check.state}>
      {check.state === 'accepted' && wrong === 0 && <Icon name="check" size={14} />}
      {text}
    </span>
  );
}

function checkText({ state, refused }: DryRun, wrong: number): string {
  if (wrong > 0) return wrong === 1 ? 'One field is not right yet.' : `${wrong} fields are not right yet.`;
  if (state === 'checking') return 'Checking…';
  if (state === 'accepted') return 'The cluster accepts it.';
  return refused === null ? '' : `${refused.title}.`;
}
