import { KubeError } from '@hamlet/kube';
import { UnavailableError } from '../http/respond.ts';

/** The refusal of the Kubernetes API in an error. Throws UnavailableError if it could not answer: the same request may succeed later. */
export function serverRefusal(error: unknown): KubeError {
  if (error instanceof KubeError && error.status !== 429 && error.status < 500) return error;
  throw new UnavailableError('The Kubernetes API is unreachable; try again', { cause: error });
}
