export { askMemory, rememberDialogue, tokensOf, type RememberedDialogue } from './ask-memory.ts';
export type { Dialogue, DialogueQuestion, DialogueTurn } from './dialogue.ts';
export {
  p95,
  RECALL_AT,
  recallAt,
  scoreByKind,
  scoreRecall,
  type Answered,
  type RecallAt,
  type RecallScore,
} from './score.ts';
