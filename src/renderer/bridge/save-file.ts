/** Files made in the window: pictures and rows that only it has, written by the main side through a grant. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { FILE_CHUNK_MAX, MISSING_MAX, type WrittenFile } from '#shared/bridge/operations.ts';

type Chunk = { text: string } | { base64: string };

export interface FileFacts {
  /** What the file shows, in words, for its manifest. */
  what: string;
  /** Why it is incomplete, in words; null or omitted if it is complete. */
  missing?: string | null;
}

/** Asks where to save, then writes chunk after chunk, or null if cancelled. A failed write leaves no file. */
export async function saveFile(
  bridge: Bridge,
  name: string,
  kind: 'csv' | 'ndjson' | 'any',
  facts: FileFacts & { entries: number | null },
  chunks: () => AsyncIterable<Chunk>,
): Promise<WrittenFile | null> {
  const grant = await bridge.call('dialogs.save', { suggestedName: name, kind });
  if (grant === null) return null;
  // Reasons of many layers or parts can be long; a longer one would be refused with the file.
  const missing = facts.missing?.slice(0, MISSING_MAX);
  const { fileId } = await bridge.call('files.open', {
    grantId: grant.grantId,
    ...facts,
    ...(missing === undefined ? {} : { missing }),
  });
  try {
    for await (const chunk of chunks()) await bridge.call('files.append', { fileId, chunk });
    return await bridge.call('files.finish', { fileId });
  } catch (error) {
    await bridge.call('files.discard', { fileId }).catch(() => undefined);
    throw error;
  }
}

/** Below the chunk limit, and a multiple of three bytes so that base64 needs no padding. */
const BYTES = Math.floor(FILE_CHUNK_MAX / 4 / 3) * 3;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let offset = 0; offset < bytes.length; offset += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + 0x8000));
  return btoa(binary);
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

export async function savePng(
  bridge: Bridge,
  name: string,
  blob: Blob,
  facts: FileFacts,
): Promise<WrittenFile | null> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return saveFile(bridge, `${name}.png`, 'any', { ...facts, entries: null }, async function* () {
    for (let offset = 0; offset < bytes.length; offset += BYTES)
      yield { base64: base64Of(bytes.subarray(offset, offset + BYTES)) };
  });
}

/** A text in pieces that keep surrogate pairs together: half of one cannot be encoded as UTF-8. */
export function* piecesOf(text: string, most = BYTES): Generator<{ text: string }> {
  for (let position = 0; position < text.length; ) {
    const end = position + most - (isHigh(text.charCodeAt(position + most - 1)) ? 1 : 0);
    yield { text: text.slice(position, end) };
    position = end;
  }
}

export const saveSvg = (
  bridge: Bridge,
  name: string,
  svg: string,
  facts: FileFacts,
): Promise<WrittenFile | null> =>
  saveFile(bridge, `${name}.svg`, 'any', { ...facts, entries: null }, async function* () {
    yield* piecesOf(svg);
  });
