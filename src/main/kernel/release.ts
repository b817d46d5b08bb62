/**
 * Gives the memory of bytes back at once: the collector lets tens of megabytes of such buffers gather in a thread that
 * makes little else. Only for bytes whose buffer nobody holds on to.
 */
export function release({ buffer }: Uint8Array): void {
  // Smaller ones may be part of what Node shares among many.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}
