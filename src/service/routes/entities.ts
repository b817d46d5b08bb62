/** Entities of any type: their fields, tool results, and pending requests. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { callerOf } from '../http/permissions.ts';
import { classificationOf } from '../store/classification.ts';
import { propsOf } from '../store/email-profile.ts';
import { entityOf, scanSubjectOf } from '../store/entities.ts';
import { exceptionStatusOf } from '../store/exception-status.ts';
import { subjectOfEmail, subjectOfFile } from '../store/exceptions.ts';
import { fileProfileOf } from '../store/files.ts';
import { scanDetailsOf } from '../store/scan-details.ts';
import type { Store } from '../store/store.ts';
import { PRODUCT } from '../store/verdicts.ts';

const rowsOf = <T>(rows: T[]) => ({ rows, total_rows: rows.length });
const MAX_CLASSIFIED = 1_000;
/** What exceptions can match; nothing in a chat message. */
async function matchOf(store: Store, entityId: string): Promise<MatchSubject> {
  const email = await store.mails.find(entityId);
  if (email) return subjectOfEmail(store, email);
  const file = await store.files.find(entityId);
  return file ? subjectOfFile(file) : {};
}

async function subjectOf(store: Store, entityId: string) {
  const subject = await scanSubjectOf(store, entityId);
  if (!subject) throw new ServiceError(404, 'No such entity', 'entity_id');
  return subject;
}

export const entityHandlers = {
  'entity.get': async ({ params }, { store }) => {
    const entity = await entityOf(store, params.type, params.id);
    if (!entity) throw new ServiceError(404, `No such ${params.type.slice(0, 40)}`, 'id');
    return entity;
  },
  'entity.props': async ({ query }, context) => {
    const { store } = context;
    const { role, permissions } = callerOf(context);
    const caller = { role, permissions };
    const email = await store.mails.find(query.entity_id);
    if (email) {
      if (store.source.tenant?.restoreServiceAnswers(email) === false)
        throw new ServiceError(503, 'The restore service does not answer');
      return { ...(await propsOf(store, email)), ...caller };
    }
    const file = await store.files.find(query.entity_id);
    if (!file) throw new ServiceError(404, 'No such entity', 'entity_id');
    const { entity_id, quarantine_info, pending_actions } = await fileProfileOf(store, file);
    return { entity_id, quarantine_info, pending_actions, ...caller };
  },
  'entity.message-body': async ({ query }, { store }) => {
    const row = await store.entities.message(query.entity_id);
    if (!row) throw new ServiceError(404, 'No such message', 'entity_id');
    return { text: row.text, html: null, channel: row.channel, sender: row.sender };
  },
  'entity.quarantine-restorable': async ({ params }, { store }) => {
    const no = (reason: string) => ({ restorable: false, reason });
    const email = await store.mails.find(params.id);
    if (email) {
      if (email.file_id !== null) return no('Mail evidence is only read');
      if (email.quarantined !== 1) return no('It is not in quarantine');
      return { restorable: true, reason: null };
    }
    const file = await store.files.find(params.id);
    if (!file) throw new ServiceError(404, 'No such entity', 'id');
    if (file.is_quarantined === 0) return no('It is not in quarantine');
    if (file.is_deleted === 1) return no('The file is deleted');
    return { restorable: true, reason: null };
  },
  'entity.identify': async ({ body }, { store }) => {
    const entity = await store.entities.typeOf(body.entity_id);
    if (!entity) throw new ServiceError(404, 'No such entity', 'entity_id');
    const identifier = body['identifier'];
    if (typeof identifier !== 'string' || identifier.trim() === '' || identifier.length > 200)
      throw new ServiceError(400, 'An identifier has 1 to 200 characters', 'identifier');
    await store.entities.identify(entity.id, identifier.trim());
    return { success: true };
  },
  'emails.classification': async ({ params, body }, { store }) => {
    ownProduct(params.product);
    if (body.entity_ids.length > MAX_CLASSIFIED)
      throw new ServiceError(400, `At most ${MAX_CLASSIFIED} emails at once`, 'entity_ids');
    const rows = await Promise.all(
      body.entity_ids.map(async (id) => {
        const row = await store.mails.find(id);
        return row ? [{ ...classificationOf(row), entity_id: id }] : [];
      }),
    );
    return rowsOf(rows.flat());
  },
  'scan.details': async ({ query }, { store }) =>
    rowsOf(await scanDetailsOf(store, await subjectOf(store, query.entity_id))),
  'scan.debug-links': async ({ params, query }, { store }) => {
    ownProduct(params.product);
    const row = await store.mails.find(query.entity_id);
    if (!row) {
      await subjectOf(store, query.entity_id);
      return rowsOf([]);
    }
    // No tool has scanned mail files.
    return rowsOf(store.source.tenant?.debugLinks(row, await store.mails.links(row.id)) ?? []);
  },
  'scan.exceptions-status': async ({ query }, { store }) => {
    const subject = await subjectOf(store, query.entity_id);
    return rowsOf(await exceptionStatusOf(store, subject, await matchOf(store, query.entity_id)));
  },
} satisfies Handlers;

/** Refuses a call of another product's tool. */
export function ownProduct(product: string): void {
  if (product !== PRODUCT)
    throw new ServiceError(404, `This service has no tool ap_${product.slice(0, 40)}`, 'product');
}
