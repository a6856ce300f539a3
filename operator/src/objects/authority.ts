/** The certificate of the village's authority, under which the broker reads requests of agents. */

/** The ConfigMap of the chart. The broker writes its content. */
export const CA_CONFIG_MAP = 'hamlet-ca';
export const CA_CERTIFICATE_KEY = 'ca.crt';
/** Folder of the certificate in pods of agents (agent-image/resident/src/hands/proxy-environment.ts). */
export const CA_MOUNT_PATH = '/etc/hamlet/ca';
