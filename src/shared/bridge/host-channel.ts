/**
 * What the browser host and its page say to each other beside the frames: files and the clipboard, which a window
 * of its own has from the operating system. Messages carry `host`, frames never do.
 */
import { z } from 'zod';

/** Names a request, and is the leave to answer it over HTTP: nobody guesses it, and it serves once. */
const id = z.string().regex(/^[\w-]{16,64}$/);

/** The first thing that a page says on the wire. Until it came, the host answers nothing. */
export const pageHello = z.strictObject({ host: z.literal('hello'), secret: z.string().max(200) });
export type PageHello = z.infer<typeof pageHello>;

/** The host took the hello; `secret` is what the page proves itself with after a reload. */
export const hostWelcome = z.object({ host: z.literal('welcome'), secret: z.string() });
export type HostWelcome = z.infer<typeof hostWelcome>;

/** Closes a wire whose page did not prove itself; a code that the protocol leaves to applications. */
export const NOT_ADMITTED = 4401;

/** Host to page. */
export const hostRequest = z.discriminatedUnion('host', [
  /**
   * Asks the analyst for a file; the page answers with POST /upload/<id>, or `cancelled`. With `pair`, the manifest of
   * the file may be picked along; it goes first, with `&manifest=1`.
   */
  z.object({
    host: z.literal('pick'),
    id,
    title: z.string(),
    accept: z.string(),
    pair: z.boolean(),
    maxBytes: z.number(),
  }),
  /** Asks for a path on this machine, which no file picker gives; POST /choose/<id>, or `cancelled`. */
  z.object({ host: z.literal('ask-path'), id, wanted: z.enum(['folder', 'file']) }),
  /** A file is ready: GET /download/<id>, until it has arrived once. */
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
  wire: '/wire',
  upload: '/upload/',
  choose: '/choose/',
  download: '/download/',
} as const;

/** The largest query file or manifest that a page may hand over. */
export const UPLOAD_MAX_BYTES = 64 * 1024 * 1024;
/** The largest file that a page may hand over to be verified: it lies in the profile until it was read. */
export const VERIFY_MAX_BYTES = 8 * 1024 ** 3;
