import { lookup } from 'node:dns/promises';
import { boundedGet } from './bounded-get.ts';
import { readDcgm, type GpuReading } from './dcgm.ts';

const EXPORTERS_MAX = 64;
const TEXT_MAX_BYTES = 2 << 20;
const ANSWER_LIMIT_MS = 5_000;

async function readExporter(url: URL, address: string): Promise<readonly GpuReading[]> {
  const { status, text } = await boundedGet({ url, address, maxBytes: TEXT_MAX_BYTES, timeoutMs: ANSWER_LIMIT_MS });
  if (status !== 200) throw new Error(`the exporter of DCGM at ${address} answered ${status}`);
  return readDcgm(text);
}

/**
 * Reads the GPUs of every exporter behind an http URL: a headless Service resolves to one address a node. Exporters that fail are
 * reported to `onError`, and their GPUs are left out.
 */
export async function readExporters(url: URL, onError: (error: unknown) => void): Promise<readonly GpuReading[]> {
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = [...new Set((await lookup(host, { all: true })).map(({ address }) => address))];
    const read = await Promise.allSettled(
      addresses.slice(0, EXPORTERS_MAX).map((address) => readExporter(url, address)),
    );
    return read.flatMap((outcome) => {
      if (outcome.status === 'rejected') onError(outcome.reason);
      return outcome.status === 'fulfilled' ? outcome.value : [];
    });
  } catch (error) {
    onError(error);
    return [];
  }
}
