import { type ArchiveEntry, archiveEntries, Names } from '../containers/archive.ts';
import type { ByteSource } from '../files/bytes.ts';
import type { PackedKind } from './kinds.ts';

async function* storedMails(source: ByteSource, size: number): AsyncGenerator<ArchiveEntry> {
  // Loaded when needed, as most evidence has no store of Outlook.
  const { pstEntries } = await import('../outlook/pst.ts');
  const names = new Names();
  for await (const entry of pstEntries(source, size))
    yield { ...entry, name: names.of(Buffer.from(entry.name)) };
}

/** The files in an archive, or the mails in a store of Outlook. Throws like `archiveEntries`. */
export function packedEntries(
  kind: PackedKind,
  packed: { source: ByteSource; size: number; name: string },
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  return kind === 'pst' ? storedMails(packed.source, packed.size) : archiveEntries(kind, packed, signal);
}
