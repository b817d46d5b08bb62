/** Saves an exception on the service. */

import { sendChange } from '#renderer/state/send-change.ts';
import { type BridgeError, mayBeDone, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { dictionary } from '#shared/dictionary.ts';
import { type ExceptionRule, exceptionOf } from '#shared/exceptions/rule.ts';
import { expandProduct } from '#shared/model/white-label.ts';

export interface SaveRefusal {
  error: BridgeError;
  /** The form field it concerns: string, type, comment, matching, or null if there is none. */
  field: string | null;
  message: string;
}

/** No response arrived, so the exception may have been saved. */
export const isInDoubt = ({ error }: SaveRefusal): boolean => mayBeDone(error);

const FIELDS: Readonly<Record<string, string>> = dictionary({ field: 'type', payload: 'type', list: 'type' });

/** A refusal with the field named by the service, if the form has that field. */
export function refusalOf(reason: unknown): SaveRefusal {
  const error = toBridgeError(reason);
  const { field, serviceMessage } = error.data ?? {};
  const named = typeof field === 'string' ? /^exception\.(\w+)/.exec(field)?.[1] : undefined;
  return {
    error,
    field: named === undefined ? null : (FIELDS[named] ?? named),
    message: typeof serviceMessage === 'string' ? serviceMessage : error.message,
  };
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
): Promise<void> {
  const { success } = await sendChange(connectionId, 'exceptions.create-external', {
    body: {
      sec_type: expandProduct(rule.tool, product),
      exception: exceptionOf(rule, { ...more, comment: more.comment.trim() || null }),
    },
  });
  if (!success) throw new ParapetError('not-allowed', 'The service reported that it was not done.');
}
