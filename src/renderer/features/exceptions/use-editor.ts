import { useEffect, useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { setTabDirty } from '#renderer/state/tabs.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { lintRule } from '#shared/exceptions/lint.ts';
import { ruleWords } from '#shared/exceptions/words.ts';
import { type Branding, expandProduct } from '#shared/model/white-label.ts';
import {
  currentEditing,
  type Editing,
  editForm,
  endEditing,
  endSending,
  markEditing,
  settleEditing,
} from './editor-store.ts';
import {
  type ExceptionForm,
  type Flags,
  isTouched,
  problemsOf,
  reportedProblems,
  ruleOfForm,
  typeChoices,
} from './form.ts';
import { isInDoubt, refusalOf, saveRule } from './save.ts';
import { useBlast } from './use-blast.ts';
import { useKnown } from './use-known.ts';

export function useEditor(connectionId: string, branding: Branding, flags: Flags, editing: Editing) {
  const { product } = branding;
  const { form, attempted, refusal } = editing;
  const { tabId } = useTab();
  const cannotSend = useSendRefusal()('exceptions.create-external');
  const served = useRead(
    'exceptions.combo-options',
    product === '' ? null : { params: { product }, body: { sec_type: expandProduct(form.tool, product) } },
  );
  const ids = served.data?.types.map(({ id }) => id).join('\n');
  const choices = useMemo(() => {
    const fitting = typeChoices(form.tool, flags, ids === undefined ? null : new Set(ids.split('\n')));
    // If all types of the service are unknown, nothing would be left to choose, so all known types are offered.
    return fitting.length > 0 ? fitting : typeChoices(form.tool, flags, null);
  }, [form.tool, flags, ids]);

  const all = useMemo(() => problemsOf(form, flags), [form, flags]);
  const problems = useMemo(() => reportedProblems(all, attempted), [all, attempted]);
  const rule = useMemo(() => ruleOfForm(form), [form]);
  const isValid = all.size === 0;
  const lists = useKnown(connectionId, product, form.tool);
  const notes = useMemo(() => (isValid ? lintRule(rule, lists.rules) : []), [isValid, rule, lists.rules]);
  const blast = useBlast(connectionId, isValid ? rule : null);

  const isDirty = isTouched(form) && form !== editing.began;
  useEffect(() => {
    setTabDirty(tabId, isDirty);
    return () => setTabDirty(tabId, false);
  }, [tabId, isDirty]);

  const shown = (field: string): string | null => {
    if (refusal?.field === field) return refusal.message;
    const problem = problems.get(field);
    return problem === undefined ? null : `${problem.message} (${problem.code})`;
  };
  return {
    form,
    editing,
    rule,
    choices,
    served,
    problems,
    problem: shown,
    isValid,
    known: lists,
    notes,
    blast,
    /** Why nothing can be sent now, or null if it can. */
    cannotSend,
    change: (next: ExceptionForm) => editForm(connectionId, next),
    attempt: () => markEditing(connectionId, { attempted: true }),
    close: () => endEditing(connectionId),
    /**
     * True if saved, and the form is closed; false if the form stays with the service's refusal, or is being sent
     * already.
     */
    async save(): Promise<boolean> {
      if (currentEditing(connectionId)?.isSending) return false;
      markEditing(connectionId, { isSending: true });
      try {
        await saveRule(connectionId, product, rule, form);
        settleEditing(connectionId, form, null);
        return true;
      } catch (error) {
        const refused = refusalOf(error);
        // The form was replaced meanwhile; the refusal does not concern the new one.
        if (!settleEditing(connectionId, form, refused))
          showToast({
            intent: 'error',
            title: isInDoubt(refused) ? inDoubt('Save exception') : 'Exception not saved',
            detail: `${ruleWords(rule)}. ${refused.message}`,
          });
        return false;
      } finally {
        endSending(connectionId, editing.began);
      }
    },
  };
}

export type Editor = ReturnType<typeof useEditor>;
