/** Entities of any type: their fields, tool results, and pending requests. */
import type { MatchSubject } from '#shared/exceptions/match.ts';
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { callerOf } from '../http/permissions.ts';
import { classificationOf } from '../store/classification.ts';
import { propsOf } from '../store/email-profile.ts';
import { entityOf, findMessage, scanSubjectOf, typeOf } from '../store/entities.ts';
import { exceptionStatusOf } from '../store/exception-status.ts';
import { subjectOfFile } from '../store/exceptions.ts';
import { fileProfileOf } from '../store/files.ts';
import { scanDetailsOf } from '../store/scan-details.ts';
import { PRODUCT } from '../store/verdicts.ts';
import { findEmail, linksOf } from '../store-sqlite/emails.ts';
import { changeState } from '../store-sqlite/entity-state.ts';
import { subjectOfEmail } from '../store-sqlite/exceptions.ts';
import { findFile } from '../store-sqlite/files.ts';
import type { Store } from '../store-sqlite/store.ts';

const rowsOf = <T>(rows: T[]) => ({ rows, total_rows: rows.length });
const MAX_CLASSIFIED = 1_000;
/** What exceptions can match; nothing in a chat message. */
function matchOf(store: Store, entityId: string): MatchSubject {
  const email = findEmail(store, entityId);
  if (email) return subjectOfEmail(store, email);
  const file = findFile(store, entityId);
  return file ? subjectOfFile(file) : {};
}

function subjectOf(store: Store, entityId: string) {
  const subject = scanSubjectOf(store, entityId);
  if (!subject) throw new ServiceError(404, 'No such entity', 'entity_id');
  return subject;
}

export const entityHandlers = {
  'entity.get': ({ params }, { store }) => {
    const entity = entityOf(store, params.type, params.id);
    if (!entity) throw new ServiceError(404, `No such ${params.type.slice(0, 40)}`, 'id');
    return entity;
  },
  'entity.props': ({ query }, context) => {
    const { store } = context;
    const { role, permissions } = callerOf(context);
    const caller = { role, permissions };
    const email = findEmail(store, query.entity_id);
    if (email) {
      if (store.source.tenant?.restoreServiceAnswers(email) === false)
        throw new ServiceError(503, 'The restore service does not answer');
      return { ...propsOf(store, email), ...caller };
    }
    const file = findFile(store, query.entity_id);
    if (!file) throw new ServiceError(404, 'No such entity', 'entity_id');
    const { entity_id, quarantine_info, pending_actions } = fileProfileOf(store, file);
    return { entity_id, quarantine_info, pending_actions, ...caller };
  },
  'entity.message-body': ({ query }, { store }) => {
    const row = findMessage(store, query.entity_id);
    if (!row) throw new ServiceError(404, 'No such message', 'entity_id');
    return { text: row.text, html: null, channel: row.channel, sender: row.sender };
  },
  'entity.quarantine-restorable': ({ params }, { store }) => {
    const no = (reason: string) => ({ restorable: false, reason });
    const email = findEmail(store, params.id);
    if (email) {
      if (email.file_id !== null) return no('Mail evidence is only read');
      if (email.quarantined !== 1) return no('It is not in quarantine');
      return { restorable: true, reason: null };
    }
    const file = findFile(store, params.id);
    if (!file) throw new ServiceError(404, 'No such entity', 'id');
    if (file.is_quarantined === 0) return no('It is not in quarantine');
    if (file.is_deleted === 1) return no('The file is deleted');
    return { restorable: true, reason: null };
  },
  'entity.identify': ({ body }, context) => {
    const entity = typeOf(context.store, body.entity_id);
    if (!entity) throw new ServiceError(404, 'No such entity', 'entity_id');
    const identifier = body['identifier'];
    if (typeof identifier !== 'string' || identifier.trim() === '' || identifier.length > 200)
      throw new ServiceError(400, 'An identifier has 1 to 200 characters', 'identifier');
    changeState(context.store, entity.id, { identifier: identifier.trim() });
    return { success: true };
  },
  'emails.classification': ({ params, body }, { store }) => {
    ownProduct(params.product);
    if (body.entity_ids.length > MAX_CLASSIFIED)
      throw new ServiceError(400, `At most ${MAX_CLASSIFIED} emails at once`, 'entity_ids');
    return rowsOf(
      body.entity_ids.flatMap((id) => {
        const row = findEmail(store, id);
        return row ? [{ ...classificationOf(row), entity_id: id }] : [];
      }),
    );
  },
  'scan.details': ({ query }, { store }) => rowsOf(scanDetailsOf(store, subjectOf(store, query.entity_id))),
  'scan.debug-links': ({ params, query }, { store }) => {
    ownProduct(params.product);
    const row = findEmail(store, query.entity_id);
    if (!row) {
      subjectOf(store, query.entity_id);
      return rowsOf([]);
    }
    // No tool has scanned mail files.
    return rowsOf(store.source.tenant?.debugLinks(row, linksOf(store, row.id)) ?? []);
  },
  'scan.exceptions-status': ({ query }, { store }) =>
    rowsOf(exceptionStatusOf(store, subjectOf(store, query.entity_id), matchOf(store, query.entity_id))),
} satisfies Handlers;

/** Refuses a call of another product's tool. */
export function ownProduct(product: string): void {
  if (product !== PRODUCT)
    throw new ServiceError(404, `This service has no tool ap_${product.slice(0, 40)}`, 'product');
}
