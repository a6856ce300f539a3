/** Which suite each test file belongs to, and why it takes long. */

/** Folders and files of the full suite alone, by their reason. */
const ONLY_IN_FULL: Readonly<Record<string, string>> = {
  'test/model/': 'downloads a model of 250 MB',
  'test/runtime/': 'minutes of faults, stalls and takeovers between two operators',
  'test/storm/': 'minutes of load through a network that fails',
  'test/simulation/': 'whole lives of residents with a model',
  'test/schedules/': 'a cluster, thousands of slots, outages and two leaders',
  'test/schema/': 'installs a fuzzer of the API and runs it',
};

/** Files that mostly wait for leases, back-offs, slots and watches, and use little CPU. */
const WAITING =
  /^(operator|cli\/kubectl|kube|local\/village|test\/(runtime|schedules|drift|storm|simulation|plugin))\//;

export const isWaiting = (file: string): boolean => WAITING.test(file);

/** The end-to-end tests of `make test`, by the promise that each shows. */
const JOURNEYS: Readonly<Record<string, string>> = {
  'test/e2e/lifecycle.test.ts': 'an applied Agent lives, sleeps, wakes and is deleted',
  'test/e2e/work.test.ts': 'a message becomes a command, an answer, and a line in each record',
  'test/e2e/tier.test.ts': 'a reward resizes the running container',
  'test/e2e/schedule.test.ts': 'a Schedule fires',
  'test/e2e/egress.test.ts': 'a host outside is asked for, reached and refused',
  'test/e2e/standing.test.ts': 'a freeze and a kill end what runs',
};

/** True if the file is part of `make test`. */
export const isInGate = (file: string): boolean =>
  file.startsWith('test/e2e/') ? file in JOURNEYS : !Object.keys(ONLY_IN_FULL).some((name) => file.startsWith(name));

/** Seconds from which a test file needs a reason. */
export const SLOW_FROM_S = 10;
/** Why a test file takes long. */
export const SLOW_FILES: Readonly<Record<string, string>> = {};
