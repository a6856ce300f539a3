/** The panic button: causes for which the API ends a run, each with what happened and what to do, for people. */
export const PANICS = {
  tests_keep_failing:
    'The tests failed three times in a row. Read the last output of the run, and say what the tests should show, or give the work in smaller parts.',
  network_keeps_timing_out:
    'The network timed out three times in a row. Look whether the host is up and the rules of egress let the agent reach it, then give the work again.',
  shared_branch_forced:
    'A branch that others use was updated by force, or the agent tried to. Compare the branch with a copy that has the lost commits, restore it, then give the work again.',
  access_denied:
    'Access was denied, by the machine of the agent or by a server. Look at the last call of the run, and give the agent the right that it needs, or other work.',
  disk_full:
    'The disk of the agent is full. Remove files that it does not need, or give it a larger volume, then give the work again.',
} as const;
export type PanicCode = keyof typeof PANICS;
