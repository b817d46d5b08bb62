/** POST query/{id}/action: an action of the config on everything that the condition matches. */
import type { z } from 'zod';
import { actionPermission } from '#shared/api/access.ts';
import type { catalogue } from '#shared/api/catalogue.ts';
import type { ActionConfig } from '#shared/model/entities.ts';
import { isRecipientAddress } from '#shared/model/schedule.ts';
import type { ServiceContext } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { need } from '../http/permissions.ts';
import { accepted, appNamed, shapeNamed } from './execute.ts';

type Body = z.infer<(typeof catalogue)['query.action']['body']>;

const MAX_TARGETS = 100_000;
const MAX_PARAM = 2_000;

export type Outcome = { entity_id: string; success: boolean; error?: string };

/** Throws 400 (with the field), 403; a refusal by a target is its outcome. */
export async function runAction(
  body: Body,
  saas: readonly string[],
  context: ServiceContext,
): Promise<{ success: boolean; affected: number; outcomes: Outcome[] }> {
  const { store } = context;
  const copies = body.include_copies === true;
  const shape = shapeNamed(store, body.query_domain, copies);
  const app = appNamed(body.saas_id, saas);
  const action = shape.actions.find(({ id }) => id === body.action_id);
  if (!action)
    throw new ServiceError(
      400,
      `No action ${body.action_id.slice(0, 100)} on a ${shape.domain}`,
      'action_id',
    );
  const params = paramsOf(action, body.action_params);
  need(context, actionPermission(action.id));
  const actor = { name: context.caller ?? 'unknown', role: context.role };
  const now = context.now();
  const results = await accepted(
    store.actions.performOn(
      { domain: shape.domain, copies, condition: body.condition, saas: app, now },
      MAX_TARGETS,
      { action: action.id, params, actor, at: now },
    ),
  );
  if (results === null)
    throw new ServiceError(400, `The condition holds for more than ${MAX_TARGETS} targets`, 'condition');
  const outcomes = results.map(({ entityId, ...outcome }): Outcome => ({ entity_id: entityId, ...outcome }));
  const affected = outcomes.filter(({ success }) => success).length;
  return { success: affected === outcomes.length, affected, outcomes };
}

/** Parameters of the config, and a reason; any other is refused. */
function paramsOf(action: ActionConfig, params: Body['action_params']): Record<string, string> {
  const out: Record<string, string> = {};
  const fields = [...(action.params ?? []), { id: 'reason', label: 'Reason', type: 'text', required: false }];
  const refuse = (id: string, message: string): never => {
    throw new ServiceError(400, message, `action_params.${id.slice(0, 100)}`);
  };
  const strange = Object.keys(params).find((id) => !fields.some((param) => param.id === id));
  if (strange !== undefined) refuse(strange, `${action.label} takes no ${strange.slice(0, 100)}`);
  for (const { id, label, type, required, ...more } of fields) {
    const value = params[id] ?? '';
    if (typeof value !== 'string' || value.length > MAX_PARAM)
      refuse(id, `${label} is a text of at most ${MAX_PARAM} characters`);
    const text = String(value).trim();
    if (text === '') {
      if (required) refuse(id, `${label} is missing`);
      continue;
    }
    if (type === 'email' && !isRecipientAddress(text))
      refuse(id, `Not an email address: ${text.slice(0, 100)}`);
    const allowed = 'allowedValues' in more ? more.allowedValues : null;
    if (allowed && !allowed.some((choice) => choice.value === text))
      refuse(id, `${label} is one of ${allowed.map((choice) => choice.label).join(', ')}`);
    out[id] = text;
  }
  return out;
}
