/** `app://parapet/`: the renderer's files, with the same headers as in the browser host. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { CustomScheme } from 'electron';
import { SECURITY_HEADERS } from '../content-policy.ts';
import { findStaticFile } from '../static-files.ts';

export const APP_ORIGIN = 'app://parapet';

/** Registered before Electron is ready: a standard, secure origin that cannot bypass the content policy. */
export const APP_SCHEME: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/** Whether a URL has the product's own origin; lookalikes such as app://parapet.example do not. */
export const isOwnUrl = (url: string) => url === APP_ORIGIN || url.startsWith(`${APP_ORIGIN}/`);

const refuse = (status: number) => new Response(null, { status, headers: SECURITY_HEADERS });

/** Serves requests of the scheme from the built renderer. */
export function createProtocolHandler(rendererDir: string): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET') return refuse(405);
    if (!isOwnUrl(request.url)) return refuse(404);
    const file = await findStaticFile(rendererDir, new URL(request.url).pathname);
    if (file === null) return refuse(404);
    const body = Readable.toWeb(createReadStream(file.path)) as unknown as ReadableStream;
    return new Response(body, { headers: { ...SECURITY_HEADERS, 'content-type': file.type } });
  };
}
