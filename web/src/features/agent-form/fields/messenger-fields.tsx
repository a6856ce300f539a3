import { FormPart, SpecText } from './spec-form.tsx';

/** The bot that speaks for the agent. Its token never enters the web: a Secret of the cluster has it. */
export function MessengerFields() {
  return (
    <FormPart
      title="Messengers"
      hint="People who linked their account on the page Connections talk with the agent through its bot."
    >
      <SpecText
        path={['channels', 'telegram', 'secretName']}
        label="Secret with the token of its bot at Telegram"
        spellCheck={false}
        placeholder="none"
      />
    </FormPart>
  );
}
