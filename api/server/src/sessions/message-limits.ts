import { RUNS_WAITING_MAX, SESSION_MESSAGES_MAX, SESSION_WAITING_MAX } from '@hamlet/contract';

export const LIMITS = {
  messagesMax: SESSION_MESSAGES_MAX,
  waitingMax: SESSION_WAITING_MAX,
  waitingOfAgentMax: RUNS_WAITING_MAX,
};
