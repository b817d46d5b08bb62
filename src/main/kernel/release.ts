/**
 * Frees the memory of a buffer at once: in a thread that allocates little else, the garbage collector lets tens of
 * megabytes of such buffers pile up. Only for buffers without other references.
 */
export function release({ buffer }: Uint8Array): void {
  // Smaller ones may share Node's buffer pool.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}
