import { FormPart, SpecText } from './spec-form.tsx';

/** The bots that speak for the agent. Their tokens never enter the web: Secrets of the cluster have them. */
export function MessengerFields() {
  return (
    <FormPart
      title="Messengers"
      hint="People who linked their account on the page Connections talk with the agent through its bots."
    >
      <SpecText
        path={['channels', 'telegram', 'secretName']}
        label="Secret with the token of its bot at Telegram"
        spellCheck={false}
        placeholder="none"
      />
      <SpecText
        path={['channels', 'slack', 'secretName']}
        label="Secret with the tokens of its app at Slack"
        spellCheck={false}
        placeholder="none"
      />
    </FormPart>
  );
}
