/**
 * Messages between the browser host and its page, in addition to the frames: files, which a native window gets from the
 * operating system. Messages have `host`, frames never do.
 */
import { z } from 'zod';

/** Identifies a request and authorises answering it over HTTP: unguessable, and valid once. */
const id = z.string().regex(/^[\w-]{16,64}$/);

/** The first message of a page. Before it, the host answers nothing. */
export const pageHello = z.strictObject({ host: z.literal('hello'), secret: z.string().max(200) });
export type PageHello = z.infer<typeof pageHello>;

/** The host accepted the hello; with `secret` the page authenticates after a reload. */
export const hostWelcome = z.object({ host: z.literal('welcome'), secret: z.string() });
export type HostWelcome = z.infer<typeof hostWelcome>;

/** Close code for a page that did not authenticate; from the range for applications. */
export const NOT_ADMITTED = 4401;

/** Host to page. */
export const hostRequest = z.discriminatedUnion('host', [
  /**
   * Asks the analyst for a file; the page answers with POST /upload/<id>, or `cancelled`. With `pair`, the manifest may
   * be picked too; it is sent first, with `&manifest=1`.
   */
  z.object({
    host: z.literal('pick'),
    id,
    title: z.string(),
    accept: z.string(),
    pair: z.boolean(),
    maxBytes: z.number(),
  }),
  /** Asks for a path on this machine, which a file picker does not reveal; POST /choose/<id>, or `cancelled`. */
  z.object({ host: z.literal('ask-path'), id, expected: z.enum(['folder', 'file']) }),
  /** A file is ready: GET /download/<id>, until one transfer succeeded. */
  z.object({ host: z.literal('download'), id, name: z.string() }),
]);
export type HostRequest = z.infer<typeof hostRequest>;

/** Page to host: how a request ended, unless an HTTP request says so. */
export const hostAnswer = z.strictObject({
  host: z.literal('answer'),
  id,
  outcome: z.enum(['done', 'cancelled', 'failed']),
});
export type HostAnswer = z.infer<typeof hostAnswer>;

/** The host's URL paths. */
export const HOST_PATHS = {
  wire: '/wire',
  upload: '/upload/',
  choose: '/choose/',
  download: '/download/',
} as const;

/** Size limit of a query file or manifest that a page uploads. */
export const UPLOAD_MAX_BYTES = 64 * 1024 * 1024;
/** Size limit of a file uploaded for verification: it is stored in the profile until it has been read. */
export const VERIFY_MAX_BYTES = 8 * 1024 ** 3;
