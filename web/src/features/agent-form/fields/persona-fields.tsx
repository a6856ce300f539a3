import { FormPart, SpecText } from './spec-form.tsx';

/** The character of an agent: three texts that it reads before every answer. */
export function PersonaFields() {
  return (
    <FormPart title="Character" hint="The agent reads these texts before every answer.">
      <SpecText
        path={['persona', 'identity']}
        label="Identity: who it is"
        rows={3}
        placeholder="You are Ada, who keeps the accounts of the village."
      />
      <SpecText
        path={['persona', 'personality']}
        label="Personality: how it behaves and speaks"
        rows={3}
        placeholder="Careful and brief. You show your sums."
      />
      <SpecText
        path={['persona', 'instructions']}
        label="Instructions: its work and its limits"
        rows={4}
        placeholder="Check every number twice. Ask before you spend."
      />
    </FormPart>
  );
}
