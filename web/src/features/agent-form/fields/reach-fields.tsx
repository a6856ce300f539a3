import { RowList, RowSelect, RowText } from './row-list.tsx';
import { FormPart, SpecText } from './spec-form.tsx';

const HOSTS_MAX = 32;
const WRITES = [
  ['', 'Ask a person'],
  ['Allow', 'Allow'],
] as const;

/** Hosts outside of the village. Other parts of a rule, such as ports and paths, stay as they are. */
export function EgressFields() {
  return (
    <FormPart title="Hosts outside" hint="Without a list, the agent reaches the hosts of its tier.">
      <RowList path={['egress', 'allow']} word="host" blank={{ host: '' }} max={HOSTS_MAX}>
        {(row) => (
          <>
            <RowText of={row} field="host" label="Host" placeholder="api.example.org" />
            <RowSelect of={row} field="writes" label="Requests that change something" options={WRITES} />
            <RowText of={row} field="secret" label="Secret, if it needs one" placeholder="none" />
          </>
        )}
      </RowList>
    </FormPart>
  );
}

export function RepositoryFields() {
  return (
    <FormPart title="Repository" hint="The agent works in a copy of it. A push needs a person.">
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
          label="Secret of a private one"
          spellCheck={false}
          placeholder="none"
        />
      </div>
    </FormPart>
  );
}
