/** What can be done with rules; failures become toasts. */

import { WORST_FIRST } from '#renderer/entity/mail-payload.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { bytes, plural, visibleText } from '#shared/model/format.ts';
import { type RuleHead, ruleCheckId } from '#shared/rules/rule.ts';
import { beginEditing, currentEditing, markEditing, settleEditing } from './editor-store.ts';
import { formOfRule, textOf } from './rule-form.ts';

export type RulePlan = OutputOf<'rules.inspect'>;

const idsOf = (rules: readonly RuleHead[]): string[] => rules.map(({ id }) => id);

export const ruleWords = (rules: readonly RuleHead[]): string =>
  rules.length === 1 ? `“${visibleText(rules[0]?.name ?? '')}”` : plural(rules.length, 'rule');

/** Opens the emails that a rule finds, worst first. */
export const openHits = ({ id, name }: RuleHead): string =>
  openPivot({
    ...blankQuery('email'),
    name: `Hits of “${name}”`,
    filter: {
      operator: 'and',
      conditions: [{ field: 'findings', operator: 'contains_any', values: [ruleCheckId(id)] }],
    },
    sort: [WORST_FIRST],
  });

/** Opens the editor with a rule as it is now. */
export const editRule = (id: string): Promise<unknown> =>
  attempt('Rule not opened', async () => {
    const { rule, text, isWhole } = await windowBridge().call('rules.get', { id });
    beginEditing(formOfRule(rule, isWhole ? text : ''), rule, isWhole);
  });

/** Saves what is edited. Null if it was not saved, which the editor explains. */
export async function saveRule(): Promise<RuleHead | null> {
  const editing = currentEditing();
  if (editing === null || editing.isSaving) return null;
  const { form, began, rule } = editing;
  const { kind, name, severity, sentence, isEnabled } = form;
  const content = { kind, name, severity, sentence, text: textOf(form, rule && began) };
  markEditing({ isSaving: true, refusal: null });
  try {
    const head = await windowBridge().call('rules.save', { id: rule?.id ?? null, content, isEnabled });
    settleEditing(form, head);
    showToast({
      intent: 'success',
      title: `Saved ${ruleWords([head])}`,
      detail: isEnabled ? 'It is being applied.' : 'It is disabled: no hits.',
    });
    return head;
  } catch (error) {
    if (currentEditing()?.began === began) markEditing({ isSaving: false, refusal: toBridgeError(error) });
    return null;
  }
}

export const enableRules = (rules: readonly RuleHead[], isEnabled: boolean): Promise<unknown> =>
  attempt(`${isEnabled ? 'Not enabled' : 'Not disabled'}: ${ruleWords(rules)}`, () =>
    windowBridge().call('rules.enable', { ids: idsOf(rules), isEnabled }),
  );

export const removeRules = (rules: readonly RuleHead[]): Promise<unknown> =>
  attempt(`Not deleted: ${ruleWords(rules)}`, () =>
    windowBridge().call('rules.remove', { ids: idsOf(rules) }),
  );

/** Lets all enabled rules, or these, check all mail again; the job shows how far they are. */
export const runRules = (connectionId: string, rules: readonly RuleHead[] | null): Promise<unknown> =>
  attempt('Rules not applied', () =>
    windowBridge().call('rules.run', { connectionId, ids: rules && idsOf(rules) }),
  );

/** Asks for a file and reads it; null if cancelled or failed. */
export const inspectRules = (): Promise<RulePlan | null> =>
  attempt('File not imported', async () => {
    const grant = await windowBridge().call('dialogs.open', { kind: 'rule-file' });
    return grant && windowBridge().call('rules.inspect', { grantId: grant.grantId });
  });

export const exportRules = (rules: readonly RuleHead[]): Promise<unknown> =>
  attempt('Rules not exported', async () => {
    const grant = await windowBridge().call('dialogs.save', { suggestedName: 'rules.json', kind: 'json' });
    if (grant === null) return;
    const written = await windowBridge().call('rules.export', { ids: idsOf(rules), grantId: grant.grantId });
    showToast({
      intent: 'success',
      title: `Exported ${plural(written.count, 'rule')}`,
      detail: `${written.name}, ${bytes(written.bytes)}`,
    });
  });
