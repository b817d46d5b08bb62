/** The writer thread on a file system that reorders writes: half of a write arrives after the rest. */
import { realFiles } from '#main/export/file-out.ts';
import { runExportThread } from '#main/export/thread.ts';

let late: { fd: number; bytes: Uint8Array } | null = null;
let begun = false;
const flush = () => {
  if (late !== null)
    for (let offset = 0; offset < late.bytes.length; ) offset += realFiles.write(late.fd, late.bytes, offset);
  late = null;
};

runExportThread(new URL(import.meta.url), {
  ...realFiles,
  write(fd, bytes, position) {
    if (!begun && bytes.length > 1) {
      // The first write that can be halved arrives late: its first half comes after the next write, or after its second half
      // if there is no next write.
      begun = true;
      const half = Math.ceil(bytes.length / 2);
      late = { fd, bytes: Uint8Array.from(bytes.subarray(0, half)) };
      realFiles.write(fd, bytes.subarray(half), 0);
      return bytes.length;
    }
    const written = realFiles.write(fd, bytes, position);
    if (position + written === bytes.length) flush();
    return written;
  },
  sync(fd) {
    flush();
    realFiles.sync(fd);
  },
});
