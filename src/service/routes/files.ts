/** Files of cloud drives: profile, permissions, events, and the download of matched files. */
import { FILE_EVENTS_PAGE, PERMISSION_PAGE_SIZE } from '#shared/model/constants.ts';
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { emailEvents } from '../store/email-events.ts';
import { emailPermissions } from '../store/email-permissions.ts';
import { type FileRow, fileProfileOf } from '../store/files.ts';
import { isGoodLink, signLink } from '../store/signed-link.ts';
import type { Store } from '../store/store.ts';
import { inApp } from './in-app.ts';

const MAX_PAGE = 1_000;
const NO_ROWS = { rows: [], total_rows: 0 };

const fileOf = async (store: Store, entityId: string, saas: string): Promise<FileRow> =>
  inApp(await store.files.find(entityId), saas, 'file');

/** Pages count from 0. */
function pageOf(query: { page?: number | undefined; size?: number | undefined }, usual: number) {
  const { page = 0, size = usual } = query;
  if (page < 0) throw new ServiceError(400, 'Pages count from 0', 'page');
  if (size < 1 || size > MAX_PAGE) throw new ServiceError(400, `A page has 1 to ${MAX_PAGE} rows`, 'size');
  return { from: page * size, to: (page + 1) * size };
}

export const fileHandlers = {
  'file.profile': async ({ params, query }, { store }) =>
    fileProfileOf(store, await fileOf(store, query.entity_id, params.saas)),
  'entity.permissions': async ({ params, query }, { store }) => {
    const { saas, type } = params;
    const { from, to } = pageOf(query, PERMISSION_PAGE_SIZE);
    if (type === 'email') {
      const email = inApp(await store.mails.find(query.entity_id), saas, type);
      const rows = await emailPermissions(store, email);
      return { rows: rows.slice(from, to), total_rows: rows.length };
    }
    if (type !== 'file')
      throw new ServiceError(
        400,
        'Permissions are those of emails and files: email_permissions, file_permissions',
        'type',
      );
    const row = await fileOf(store, query.entity_id, saas);
    return (await store.source.tenant?.filePermissions(store, row, from, to)) ?? NO_ROWS;
  },
  'file.events': async ({ params, query }, { store }) => {
    const { from, to } = pageOf(query, FILE_EVENTS_PAGE);
    const foundEmail = await store.mails.find(query.entity_id);
    if (foundEmail) {
      const email = inApp(foundEmail, params.saas, 'email');
      const events = await emailEvents(store, email);
      return { rows: events.slice(from, to), total_rows: events.length };
    }
    const row = await fileOf(store, query.entity_id, params.saas);
    // Events recorded here are newer than all generated ones.
    const recorded = await store.entities.events(row.entity_id);
    const count = recorded.length;
    const earlier = (await store.source.tenant?.fileEvents(store, row, from - count, to - count)) ?? NO_ROWS;
    return {
      rows: [...recorded.slice(from, to), ...earlier.rows],
      total_rows: count + earlier.total_rows,
    };
  },
  'file.matched': async ({ params, query }, context) => {
    const { store } = context;
    const file = await store.source.matchedFile(store, params.id);
    if (!file) throw new ServiceError(404, 'No such file', 'id');
    const no = (reason: string) => ({ success: false, url: null, reason });
    if (!file.matched) return no('No tool matched this file, so none is kept');
    if (query.test_only === true) {
      const state = file.probe();
      if (state === 'gone') throw new ServiceError(503, 'The archive of matched files does not answer');
      return state === 'ready' ? { success: true, url: null } : no('The archive is still fetching the file');
    }
    const { name, size, sha256 } = file;
    const link = signLink(store, file.id, context.now());
    return {
      success: true,
      url: `${link.hash}${link.token}${encodeURIComponent(link.id)}`,
      ...link,
      name,
      size,
      sha256,
    };
  },
  'entity.signed-link': async ({ params }, context) => {
    if (!isGoodLink(context.store, params, context.now()))
      throw new ServiceError(410, 'The link is not valid, or no longer');
    const file = await context.store.source.matchedFile(context.store, params.id);
    if (!file?.matched) throw new ServiceError(404, 'No such file', 'id');
    try {
      return { file: { name: file.name, type: 'application/octet-stream', bytes: await file.bytes() } };
    } catch (error) {
      throw new ServiceError(410, error instanceof Error ? error.message : 'The file cannot be read');
    }
  },
} satisfies Handlers;
