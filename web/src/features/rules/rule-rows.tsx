import { POLICY_RULES_MAX, TOOL_CLASSES, VERDICTS } from '@hamlet/contract';
import type { Json } from '../../client/json.ts';
import { Button, IconButton } from '../../ui/controls.tsx';
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx';
import { ListField } from '../../ui/list-field.tsx';
import { TOOL_CLASS_WORDS } from '../agent-form/fields/tool-class-words.ts';
import { changedRule } from './rules-draft.ts';
import { classesLabel, VERDICT_WORDS } from './rules-labels.ts';

type RowsProps = Readonly<{ rules: readonly Json[]; onRules: (rules: readonly Json[]) => void }>;

const NEW_RULE: Json = { tools: [], verdict: 'ask' };
const OCCASIONS = [
  ['', 'Always'],
  ['run', 'Only in runs'],
  ['turn', 'Only between runs'],
] as const;
const VERDICT_OPTIONS = VERDICTS.map((verdict) => [verdict, VERDICT_WORDS[verdict]] as const);

/** Rules as rows: which tools, when, and the verdict. Examples of a rule stay as they are. */
export function RuleRows({ rules, onRules }: RowsProps) {
  return (
    <>
      <ol className="rule-edits" aria-label="Rules">
        {rules.map((rule, index) => (
          // Rules have no identity besides their place.
          <li className="rule-edit" key={index} data-rule={index + 1}>
            <RuleFields
              rule={rule}
              onChange={(change) => onRules(rules.map((old, at) => (at === index ? changedRule(old, change) : old)))}
            />
            <IconButton
              icon="trash"
              label={`Remove rule ${index + 1}`}
              onClick={() => onRules(rules.filter((_rule, at) => at !== index))}
            />
          </li>
        ))}
      </ol>
      <Button
        className="button rule-add"
        icon="plus"
        word="Add a rule"
        disabled={rules.length >= POLICY_RULES_MAX}
        data-add="rule"
        onClick={() => onRules([...rules, NEW_RULE])}
      />
    </>
  );
}

type FieldsProps = Readonly<{ rule: Json; onChange: (change: Json) => void }>;

function RuleFields({ rule, onChange }: FieldsProps) {
  const { tools, verdict, when, reason } = rule;
  const names = Array.isArray(tools) ? tools.map(String) : [];
  const verdictNow = VERDICTS.find((each) => each === verdict) ?? 'ask';
  const meaning = classesLabel(names);
  const classes = TOOL_CLASSES.filter((name) => !names.includes(name));
  return (
    <div className="rule-edit-fields">
      <SelectField
        label="Verdict"
        name="verdict"
        value={verdictNow}
        options={VERDICT_OPTIONS}
        onChange={(next) => onChange({ verdict: next })}
      />
      <ListField
        label="Calls of these tools and classes"
        name="tools"
        placeholder="publish, spend"
        value={tools}
        onChange={(items) => onChange({ tools: items })}
      />
      {meaning !== '' && <p className="hint rule-meaning">Covers: {meaning}</p>}
      <SelectField
        label="Add a class"
        name="class"
        value=""
        options={[['', 'Choose…'], ...classes.map((name) => [name, TOOL_CLASS_WORDS[name]] as const)]}
        onChange={(name) => onChange({ tools: [...names, name] })}
      />
      <SelectField
        label="When"
        name="when"
        value={when === 'run' || when === 'turn' ? when : ''}
        options={OCCASIONS}
        onChange={(next) => onChange({ when: next })}
      />
      <TextField
        label="Reason"
        name="reason"
        value={typeof reason === 'string' ? reason : ''}
        onChange={(next) => onChange({ reason: next })}
      />
      {verdictNow === 'allow' && (
        <CheckField
          label="Also after text from outside (needs a reason)"
          name="tainted"
          value={rule['tainted'] === 'allow'}
          onChange={(on) => onChange({ tainted: on ? 'allow' : '' })}
        />
      )}
    </div>
  );
}
