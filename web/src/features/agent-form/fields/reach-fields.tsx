import { RowItems, RowList, RowSelect, RowText, type SpecRow } from './row-list.tsx';
import { FormPart, SpecText } from './spec-form.tsx';

const HOSTS_MAX = 32;
const WRITES = [
  ['', 'Ask a person'],
  ['Allow', 'Allow'],
] as const;

/** Hosts outside of the village. Parts of a rule without a field here stay as they are. */
export function EgressFields() {
  return (
    <FormPart title="Hosts outside" hint="Without a list, the agent reaches the hosts of its tier.">
      <RowList path={['egress', 'allow']} word="host" blank={{ host: '' }} max={HOSTS_MAX}>
        {(row) => (
          <>
            <PlaceCells of={row} ports="443" />
            <RowSelect of={row} field="writes" label="Requests that change something" options={WRITES} />
            <RowText of={row} field="secret" label="Secret, if it needs one" placeholder="none" />
          </>
        )}
      </RowList>
      <h3 className="section-name">Closed, even if a rule above opens it</h3>
      <RowList path={['egress', 'deny']} word="closed host" blank={{ host: '' }} max={HOSTS_MAX}>
        {(row) => <PlaceCells of={row} ports="all" />}
      </RowList>
    </FormPart>
  );
}

/** The host, ports, paths and methods of a rule. `ports`: those without a list. */
function PlaceCells({ of, ports }: Readonly<{ of: SpecRow; ports: string }>) {
  return (
    <>
      <RowText of={of} field="host" label="Host" placeholder="api.example.org" />
      <RowItems of={of} field="ports" label="Ports" items="numbers" placeholder={ports} />
      <RowItems of={of} field="paths" label="Paths" placeholder="all, or /repos/team/**" />
      <RowItems of={of} field="methods" label="Methods" placeholder="all, or GET, POST" />
    </>
  );
}

export function RepositoryFields() {
  return (
    <FormPart title="Repository" hint="The agent works in a copy. A person must allow each push.">
      <SpecText
        path={['repository', 'url']}
        label="Address"
        spellCheck={false}
        placeholder="https://example.org/team/project.git"
      />
      <div className="form-grid">
        <SpecText path={['repository', 'branch']} label="Branch" spellCheck={false} placeholder="Its default" />
        <SpecText
          path={['repository', 'secretName']}
          label="Secret, if it is private"
          spellCheck={false}
          placeholder="none"
        />
      </div>
    </FormPart>
  );
}
