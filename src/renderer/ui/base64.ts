/** Newer engines decode base64 natively. They also accept whitespace, which is harmless. */
const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;

/** Throws for text that is not base64. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  if (native) return native.call(Uint8Array, text);
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
