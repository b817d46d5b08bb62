/**
 * What the browser host and its page say to each other beside the frames: files and the clipboard, which a window
 * of its own has from the operating system. Messages carry `host`, frames never do.
 */
import { z } from 'zod';

const id = z.string().regex(/^[\w-]{16,64}$/);

/** Host to page. */
export const hostRequest = z.discriminatedUnion('host', [
  /** Asks the analyst for a file; the page answers with POST /upload/<id>, or `cancelled`. */
  z.object({ host: z.literal('pick'), id, accept: z.string() }),
  /** Asks for a path on this machine, which no file picker gives; POST /choose/<id>, or `cancelled`. */
  z.object({ host: z.literal('ask-path'), id, wanted: z.enum(['folder', 'file']) }),
  /** A file is ready: GET /download/<id>, once. */
  z.object({ host: z.literal('download'), id, name: z.string() }),
  z.object({ host: z.literal('clipboard'), id, text: z.string() }),
]);
export type HostRequest = z.infer<typeof hostRequest>;

/** Page to host: how a request ended, where no HTTP request says so. */
export const hostAnswer = z.strictObject({
  host: z.literal('answer'),
  id,
  outcome: z.enum(['done', 'cancelled', 'failed']),
});
export type HostAnswer = z.infer<typeof hostAnswer>;

/** Where the page finds its host. */
export const HOST_PATHS = {
  session: '/session',
  wire: '/wire',
  upload: '/upload/',
  choose: '/choose/',
  download: '/download/',
} as const;

/** The largest file that a page may hand over: a query file is small. */
export const UPLOAD_MAX_BYTES = 64 * 1024 * 1024;
