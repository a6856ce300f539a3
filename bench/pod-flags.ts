/** Node's flags in the pod of an agent: agent-image/Dockerfile. */
export const POD_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--no-opt', '--no-maglev'];
