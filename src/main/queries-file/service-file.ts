/**
 * Checks a file that the service made before it gets its name. With status 200 there may be a sign-in page, an error
 * message or a part of a file, which must not lie on the disk as the results of a query.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { isWebPage } from '../upstream/body.ts';
import { cleanText, notJson, notReady, truncated } from '../upstream/errors.ts';

/** A message of a service is never longer; a longer text is a file. */
const MESSAGE_MAX = 64 * 1024;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The message of a response such as {success: false, error}; null: it is none. */
function messageIn(bytes: Buffer, format: string): string | null {
  if (bytes.length > MESSAGE_MAX) return null;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { success, error, message } = value as { success?: unknown; error?: unknown; message?: unknown };
  const text = [error, message].find((one) => typeof one === 'string' && one !== '');
  // Only a JSON file can be an object.
  if (format === 'json' && success !== false && typeof error !== 'string') return null;
  return typeof text === 'string' ? cleanText(text) : 'no reason is given';
}

/** Throws not-json, truncated or wrong-shape unless the bytes can be a file of the format. */
export function checkServiceFile(bytes: Uint8Array, format: string, endpoint: string): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isWebPage(view)) throw notJson(endpoint, true);
  if (view.every((byte) => SPACE.has(byte))) throw notReady(endpoint);
  const message = messageIn(view, format);
  if (message !== null)
    throw new ParapetError(
      'wrong-shape',
      `The service answered with a message instead of the file: ${message}. Nothing was saved.`,
      { data: { endpoint } },
    );
  // A workbook is a zip, also when a password seals it.
  if (format === 'xlsx' && view.toString('latin1', 0, 2) !== 'PK')
    throw new ParapetError(
      'wrong-shape',
      'The service answered with something other than a workbook. Nothing was saved.',
      {
        data: { endpoint },
      },
    );
  if (format !== 'json') return;
  let end = view.length - 1;
  while (end >= 0 && SPACE.has(view[end] ?? 0)) end--;
  const last = String.fromCharCode(view[end] ?? 0);
  if (last !== ']' && last !== '}') throw truncated(endpoint);
}
