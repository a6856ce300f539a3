import { type CallData, listModelCredentials, listModelPrices, showModels } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';

const MODELS_MS = 30_000;
const PROVIDERS_MS = 10_000;

/** The models of the village, kept up to date; no request unless `asks`. */
export function useModels(asks = true): Live<CallData<typeof showModels>> {
  return useLive(showModels, asks ? {} : null, MODELS_MS);
}

/** The providers and credentials of the village, for admins. */
export function useProviders(): Live<CallData<typeof listModelCredentials>> {
  return useLive(listModelCredentials, {}, PROVIDERS_MS);
}

/** The price table of the village, for admins. */
export function usePrices(): Live<CallData<typeof listModelPrices>> {
  return useLive(listModelPrices, {}, MODELS_MS);
}
