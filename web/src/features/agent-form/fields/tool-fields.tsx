import { TOOL_CLASSES } from '@hamlet/contract';
import { CheckField, FieldProblem, Segments } from '../../../ui/fields.tsx';
import { textsAt, valueAt } from '../spec/edit-spec.ts';
import { RowList, RowText } from './row-list.tsx';
import { FormPart, OwnerMark, useSpecForm } from './spec-form.tsx';
import { TOOL_CLASS_WORDS } from './tool-class-words.ts';

const ALLOW = ['tools', 'allow'] as const;
const SERVERS_MAX = 8;
const CHOICES = [
  { key: 'all', word: 'All of the village' },
  { key: 'some', word: 'Only chosen ones' },
] as const;

/** The tools of the agent by their classes. Single tools that the spec names besides stay. */
export function ToolFields() {
  const { spec, write, problemOf, ownerOf } = useSpecForm();
  const limited = valueAt(spec, ALLOW) !== undefined;
  const allowed = textsAt(spec, ALLOW);
  const single = allowed.filter((name) => !(name in TOOL_CLASS_WORDS));
  const locked = ownerOf(ALLOW) !== undefined;
  return (
    <FormPart title="Tools" hint="Rules of the village still decide about each call.">
      <OwnerMark path={ALLOW} />
      <fieldset disabled={locked} className="agent-plain">
        <Segments
          label="Tools"
          items={CHOICES}
          value={limited ? 'some' : 'all'}
          onChange={(key) => write(ALLOW, key === 'all' ? undefined : ['read', 'speak', 'act'])}
        />
        {limited && (
          <div className="agent-checks">
            {TOOL_CLASSES.map((name) => (
              <CheckField
                key={name}
                name={`tool-${name}`}
                label={TOOL_CLASS_WORDS[name]}
                value={allowed.includes(name)}
                onChange={(on) => write(ALLOW, on ? [...allowed, name] : allowed.filter((other) => other !== name))}
              />
            ))}
          </div>
        )}
        {single.length > 0 && <p className="hint">And these single tools: {single.join(', ')}.</p>}
        <FieldProblem text={problemOf(ALLOW)} />
      </fieldset>
      <h3 className="section-name">Servers of tools (MCP)</h3>
      <RowList path={['mcpServers']} word="server" blank={{ name: '' }} max={SERVERS_MAX}>
        {(row) => (
          <>
            <RowText of={row} field="name" label="Name" placeholder="tracker" />
            {valueAt(row.row, ['command']) === undefined ? (
              <RowText of={row} field="url" label="Address" placeholder="https://example.org/mcp" />
            ) : (
              <p className="hint">A program in its hands: {textsAt(row.row, ['command']).join(' ')}</p>
            )}
          </>
        )}
      </RowList>
    </FormPart>
  );
}
