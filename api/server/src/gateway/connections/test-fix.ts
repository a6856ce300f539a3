import type { ModelErrorCode } from '@hamlet/models';

const FIXES: Readonly<Record<ModelErrorCode, string>> = {
  auth: 'Store a valid key of this provider, and check that the key may use this model.',
  quota: 'Add credit or raise the limit of the account at the provider, or connect another provider.',
  rate: 'Wait a minute and test again. If it happens often, ask the provider for a higher limit.',
  context_too_long: "Lower the context_tokens of the model: the provider's model takes fewer.",
  content_refused: 'The provider refuses the text of the test: use another model.',
  bad_request:
    "Check the provider's kind, its address (with /v1 if the server has it) and the provider's name for the model.",
  overloaded: 'The provider failed or has no capacity: wait and test again, or read the logs of your own server.',
  network: 'Check that the address is right, that the server runs, and that the pods of the api can reach it.',
  bad_answer: 'The server does not use the protocol of this kind: choose another kind, or correct the address.',
  cancelled: 'The model did not answer in time: test again, or choose a faster model.',
};

export function fixOf(code: ModelErrorCode): string {
  return FIXES[code];
}
