/** The panic button: reasons for which the API stops the calls of a run, each with cause and advice for people. */
export const PANICS = {
  tests_keep_failing:
    'The tests failed the same way six times in a row. Read the last output of the run, and say what the tests should show, or give the work in smaller parts.',
  network_keeps_timing_out:
    'The network timed out six times in a row. Check that the host is up and that the egress rules let the agent reach it, then give the work again.',
  shared_branch_forced:
    'A shared branch was updated by force six times in a row, or the agent tried to. Compare the branch with a copy that has the lost commits, restore it, then give the work again.',
  access_denied:
    "The agent's machine or a server denied access six times in a row. Read the last call of the run, then grant the missing right or give other work.",
  disk_full:
    'The disk of the agent stayed full in six calls. Remove files that it does not need, or give it a larger volume, then give the work again.',
} as const;
export type PanicCode = keyof typeof PANICS;

const LEFT = 'After three more attempts without improvement the village stops this run.';

/** Warnings that the model reads after three attempts without improvement. */
export const PANIC_WARNINGS: Readonly<Record<PanicCode, string>> = {
  tests_keep_failing: `The tests have failed the same way three times in a row. Read the failure again and find its cause before you change more, or report what you found. ${LEFT}`,
  network_keeps_timing_out: `The network has timed out three times in a row. Work without it, wait, or report. ${LEFT}`,
  shared_branch_forced: `Do not update a shared branch by force: carry your work forward and push your own branch. ${LEFT}`,
  access_denied: `Access was denied three times in a row. Go another way that you are allowed to go, or ask for the right that is missing. ${LEFT}`,
  disk_full: `The disk is full. Remove files that you made and no longer need, or report. ${LEFT}`,
};
