/** The panic button: reasons for which the API ends a run, each with cause and advice for people. */
export const PANICS = {
  tests_keep_failing:
    'The tests failed three times in a row. Read the last output of the run, and say what the tests should show, or give the work in smaller parts.',
  network_keeps_timing_out:
    'The network timed out three times in a row. Check that the host is up and that the egress rules let the agent reach it, then give the work again.',
  shared_branch_forced:
    'The agent force-pushed a shared branch, or tried to. Compare the branch with a copy that has the lost commits, restore it, then give the work again.',
  access_denied:
    "The agent's machine or a server denied access. Read the last call of the run, then grant the missing right or give other work.",
  disk_full:
    'The disk of the agent is full. Remove files that it does not need, or give it a larger volume, then give the work again.',
} as const;
export type PanicCode = keyof typeof PANICS;
