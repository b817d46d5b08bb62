/** Sends exceptions to the service: one for an entity or a value, or one for each of many. */

import { sendChange } from '#renderer/state/send-change.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { type BridgeError, IN_DOUBT, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { dictionary } from '#shared/dictionary.ts';
import { type ExceptionRule, exceptionOf } from '#shared/exceptions/rule.ts';
import { expandProduct } from '#shared/model/white-label.ts';
import type { ExceptionForm } from './form.ts';

export interface SaveRefusal {
  error: BridgeError;
  /** The form field it concerns: string, type, comment, matching; null: none. */
  field: string | null;
  message: string;
}

/** No response arrived, so the exception may have been saved. */
export const isInDoubt = ({ error }: SaveRefusal): boolean => IN_DOUBT.includes(error.code);

const FIELDS: Readonly<Record<string, string>> = dictionary({ field: 'type', payload: 'type', list: 'type' });

/** A refusal with the field named by the service, if the form has that field. */
export function refusalOf(reason: unknown): SaveRefusal {
  const error = toBridgeError(reason);
  const { field, said } = error.data ?? {};
  const named = typeof field === 'string' ? /^exception\.(\w+)/.exec(field)?.[1] : undefined;
  return {
    error,
    field: named === undefined ? null : (FIELDS[named] ?? named),
    message: typeof said === 'string' ? said : error.message,
  };
}

const NOT_DONE = 'The service reported that it was not done.';

function check({ success, outcomes }: AnswerOf<'exceptions.create'>): void {
  const failed = outcomes?.find((one) => !one.success);
  if (!success || failed) throw new ParapetError('not-allowed', failed?.error || NOT_DONE);
}

export interface Saved {
  comment: string;
  isExclusive: boolean;
}

/** Saves one rule. Rejects with a ParapetError; nothing is sent twice. */
export async function saveRule(
  connectionId: string,
  product: string,
  rule: ExceptionRule,
  more: Saved,
  from: ExceptionForm['from'] = null,
): Promise<void> {
  const sec_type = expandProduct(rule.tool, product);
  const exception = exceptionOf(rule, { ...more, comment: more.comment.trim() || null });
  if (from !== null) {
    const files = [{ entity_type: from.type, entity_id: from.entityId, sec_type }];
    const about = from.title.slice(0, 300) || undefined;
    check(await sendChange(connectionId, 'exceptions.create', { body: { files, exception }, about }));
    return;
  }
  const { success } = await sendChange(connectionId, 'exceptions.create-external', {
    body: { sec_type, exception },
  });
  if (!success) throw new ParapetError('not-allowed', NOT_DONE);
}

/** The outcome for each entity whose exception was chosen by the service (sectool_exception without one). */
export async function saveOfEntities(
  connectionId: string,
  product: string,
  tool: string,
  type: 'email' | 'file',
  entityIds: readonly string[],
): Promise<{ saved: string[]; failed: { entityId: string; reason: string }[] }> {
  const sec_type = expandProduct(tool, product);
  const files = entityIds.map((entity_id) => ({ entity_type: type, entity_id, sec_type }));
  const answer = await sendChange(connectionId, 'exceptions.create', { body: { files } });
  const outcomes = new Map((answer.outcomes ?? []).map((one) => [one.entity_id, one]));
  const saved: string[] = [];
  const failed: { entityId: string; reason: string }[] = [];
  for (const entityId of entityIds) {
    const outcome = outcomes.get(entityId);
    if (outcome?.success ?? answer.success) saved.push(entityId);
    else failed.push({ entityId, reason: outcome?.error || NOT_DONE });
  }
  return { saved, failed };
}
