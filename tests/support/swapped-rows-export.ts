/** The writer thread on a file system that swaps two rows of equal length, once, in the middle. */
import { realFiles } from '#main/export/file-out.ts';
import { runExportThread } from '#main/export/thread.ts';

let isSwapped = false;

/** The bytes with two adjacent lines of equal length swapped, neither the first nor the last; null: no such lines. */
function swapped(bytes: Uint8Array): Uint8Array | null {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const index = lines.findIndex(
    (line, index) =>
      index > 1 &&
      index < lines.length - 3 &&
      line !== lines[index + 1] &&
      line.length === lines[index + 1]?.length,
  );
  if (index < 0) return null;
  lines.splice(index, 2, lines[index + 1] ?? '', lines[index] ?? '');
  return Buffer.from(lines.join('\n'), 'latin1');
}

runExportThread(new URL(import.meta.url), {
  ...realFiles,
  write(fd, bytes, position) {
    const other = isSwapped ? null : swapped(bytes);
    if (other === null) return realFiles.write(fd, bytes, position);
    isSwapped = true;
    for (let from = position; from < other.length; ) from += realFiles.write(fd, other, from);
    return bytes.length - position;
  },
});
